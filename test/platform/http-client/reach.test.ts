import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { addressPolicy } from '../../../src/platform/http-client/addresses.ts'
import { HttpClient, type HttpResult } from '../../../src/platform/http-client/http-client.ts'
import { type DnsAnswers, startDns } from '../../harness/fakes/dns.ts'
import { startReceiver } from '../../harness/receiver.ts'
import { scratch } from '../embedded-postgres/fixtures/support.ts'

/** Whom we connect to: by which name, at which address, with which certificate. */
const METADATA = '169.254.169.254'
const LONG_MS = 30_000
const ROOT = join(import.meta.dirname, '..', '..', '..')

type Options = ConstructorParameters<typeof HttpClient>[0]

function open(t: TestContext, options: Partial<Options> = {}) {
  const httpClient = new HttpClient({ policy: addressPolicy({ mode: 'sandbox', allowed: [] }), ...options })
  t.after(() => httpClient.close())
  return (url: string, timeoutMs = LONG_MS): Promise<HttpResult> =>
    httpClient.send({ method: 'POST', url, headers: {}, body: '{}', timeoutMs, maxBytes: 1_000 })
}

/** Sends by names that only the test's name server knows. */
async function openWithDns(t: TestContext, answers: DnsAnswers) {
  const dns = await startDns(t, answers)
  return { dns, send: open(t, { nameServers: [dns.address] }) }
}

const onlyA =
  (addresses: (name: string, n: number) => ReturnType<DnsAnswers>): DnsAnswers =>
  (name, type, n) =>
    type === 'A' ? addresses(name, n) : []

function assertRefused(result: HttpResult, words: RegExp): void {
  assert.ok(result.kind === 'failed', JSON.stringify(result))
  assert.equal(result.reason, 'address_refused')
  assert.match(result.message, words)
}

test('a metadata address is refused however it is written', async t => {
  const send = open(t)
  const hosts = ['169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '169.254.43518']
  const v6 = ['[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '[fe80::a9fe:a9fe]']
  for (const host of [...hosts, ...v6])
    for (const scheme of ['http', 'https'])
      assertRefused(await send(`${scheme}://${host}/latest/meta-data/`), /link-local/)
  assertRefused(await send('http://[fd00:ec2::254]/'), /metadata/)
  assertRefused(await send('http://0/'), /unspecified/)
})

test('a name that leads to a metadata address is refused, and the answer does not tell where it led', async t => {
  const { send } = await openWithDns(
    t,
    onlyA(() => [METADATA]),
  )
  const result = await send('http://innocent.test/')
  assertRefused(result, /^innocent\.test leads to a link-local address\.$/)
})

test('of several addresses of a name only those allowed are connected to', async t => {
  const receiver = await startReceiver(t)
  const { send } = await openWithDns(
    t,
    onlyA(() => [METADATA, '127.0.0.1', '169.254.1.1']),
  )
  const result = await send(`http://mixed.test:${receiver.port}/`)
  assert.equal(result.kind, 'answered')
  assert.equal(receiver.requests.length, 1)
})

test('the address that was checked is the one connected to; each new connection is checked anew', async t => {
  const receiver = await startReceiver(t)
  receiver.answer(() => ({ headers: { connection: 'close' } }))
  const { dns, send } = await openWithDns(
    t,
    onlyA((_, n) => [n === 1 ? '127.0.0.1' : METADATA]),
  )
  const url = `http://rebinding.test:${receiver.port}/`
  assert.equal((await send(url)).kind, 'answered')
  assert.equal(dns.asked.filter(({ type }) => type === 'A').length, 1)
  assertRefused(await send(url), /link-local/)
  assert.equal(receiver.requests.length, 1)
})

test('a name that turns good after it was checked is still refused', async t => {
  const receiver = await startReceiver(t)
  const { send } = await openWithDns(
    t,
    onlyA((_, n) => [n === 1 ? METADATA : '127.0.0.1']),
  )
  assertRefused(await send(`http://rebinding.test:${receiver.port}/`), /link-local/)
  assert.equal(receiver.connections, 0)
})

test('live mode refuses our own machine by address and by name, unless it is allowed', async t => {
  const receiver = await startReceiver(t)
  const dns = await startDns(
    t,
    onlyA(() => ['127.0.0.1']),
  )
  const urls = ['127.0.0.1', 'localhost', 'inside.test', '[::ffff:127.0.0.1]', '0x7f.1'].map(
    host => `http://${host}:${receiver.port}/`,
  )
  const live = (allowed: string[]) =>
    open(t, { nameServers: [dns.address], policy: addressPolicy({ mode: 'live', allowed }) })
  const [strict, configured] = [live([]), live(['127.0.0.1/32'])]
  for (const url of urls) assertRefused(await strict(url), /loopback/)
  assert.equal(receiver.connections, 0)
  for (const url of urls) assert.equal((await configured(url)).kind, 'answered', url)
})

test('names whose servers never answer hold up no other name, and are left at the deadline', async t => {
  const receiver = await startReceiver(t)
  const { dns, send } = await openWithDns(
    t,
    onlyA(name => (name.startsWith('hanging') ? 'drop' : ['127.0.0.1'])),
  )
  const stuck = Array.from({ length: 20 }, (_, n) => send(`http://hanging${n}.test/`, 1_500))
  const well = await send(`http://well.test:${receiver.port}/`, 1_000)
  assert.equal(well.kind, 'answered')
  assert.ok(dns.asked.some(({ name }) => name === 'hanging19.test'))
  for (const result of await Promise.all(stuck))
    assert.equal(result.kind === 'failed' && result.reason, 'timeout')
})

test('a name server that never answers for one family holds up nobody', async t => {
  const receiver = await startReceiver(t)
  const { send } = await openWithDns(t, (_, type) => (type === 'A' ? ['127.0.0.1'] : 'drop'))
  assert.equal((await send(`http://half.test:${receiver.port}/`, 1_000)).kind, 'answered')
})

test('many who ask for one name at once ask once', async t => {
  const receiver = await startReceiver(t)
  const { dns, send } = await openWithDns(
    t,
    onlyA(() => ['127.0.0.1']),
  )
  const url = `http://shared.test:${receiver.port}/`
  const results = await Promise.all(Array.from({ length: 50 }, () => send(url)))
  assert.ok(results.every(({ kind }) => kind === 'answered'))
  assert.equal(dns.asked.filter(({ type }) => type === 'A').length, 1)
  assert.ok(receiver.connections > 1)
})

test('a name that nobody knows is not found', async t => {
  const { send } = await openWithDns(t, () => 'nxdomain')
  const result = await send('http://nobody.invalid/')
  assert.ok(result.kind === 'failed', JSON.stringify(result))
  assert.equal(result.reason, 'name_not_found')
  assert.equal(result.message, 'The name nobody.invalid was not found.')
})

function makeCertificate(t: TestContext, names: string): { cert: Buffer; key: Buffer } {
  const folder = scratch(t)
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const args = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test'
  const files = ['-keyout', keyFile, '-out', certFile, '-addext', `subjectAltName=${names}`]
  execFileSync('openssl', [...args.split(' '), ...files], { stdio: 'ignore' })
  return { cert: readFileSync(certFile), key: readFileSync(keyFile) }
}

function assertTls(result: HttpResult, words: RegExp): void {
  assert.ok(result.kind === 'failed', JSON.stringify(result))
  assert.equal(result.reason, 'tls')
  assert.match(result.message, words)
}

test('a certificate that nobody vouches for is refused before anything is sent', async t => {
  const receiver = await startReceiver(t, { tls: makeCertificate(t, 'IP:127.0.0.1') })
  const result = await open(t)(receiver.url)
  assertTls(result, /^The certificate is not trusted: self-signed certificate$/)
  assert.equal(receiver.requests.length, 0)
})

test('a trusted certificate serves the names in it and no other', async t => {
  const tls = makeCertificate(t, 'DNS:school.test')
  const receiver = await startReceiver(t, { tls })
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, tls.cert.toString()])
  t.after(() => setDefaultCACertificates(trusted))
  const { send } = await openWithDns(
    t,
    onlyA(() => ['127.0.0.1']),
  )
  assert.equal((await send(`https://school.test:${receiver.port}/`)).kind, 'answered')
  assertTls(
    await send(`https://other.test:${receiver.port}/`),
    /^The certificate is for another name: .*other/,
  )
  assertTls(await send(receiver.url), /^The certificate is for another name: IP: 127\.0\.0\.1/)
  assert.equal(receiver.requests.length, 1)
})

test('https to a server that speaks no TLS is a failed handshake', async t => {
  const receiver = await startReceiver(t)
  const send = open(t)
  assertTls(
    await send(`https://127.0.0.1:${receiver.port}/`),
    /^The TLS handshake failed: wrong version number$/,
  )
  receiver.dropConnections(true)
  assertTls(await send(`https://127.0.0.1:${receiver.port}/`), /^The TLS handshake failed: /)
})

const run = promisify(execFile)

/** What a process with that environment gets from the address, by our way and by Node's own fetch. */
async function inEnvironment(env: Record<string, string>, url: string, way: 'outbound' | 'fetch') {
  const script = `
    import { anyAddress } from './src/platform/http-client/addresses.ts'
    import { HttpClient } from './src/platform/http-client/http-client.ts'
    const [url, way] = process.argv.slice(1)
    const viaOutbound = () => new HttpClient({ policy: anyAddress })
      .send({ method: 'GET', url, headers: {}, timeoutMs: 5000, maxBytes: 100 })
      .then(result => result.kind === 'answered' ? result.httpStatus : result.reason)
    const viaFetch = () => fetch(url).then(({ status }) => status, () => 'failed')
    console.log(await (way === 'fetch' ? viaFetch() : viaOutbound()))`
  const args = ['--input-type=module', '--eval', script, url, way]
  return (await run(process.execPath, args, { cwd: ROOT, env })).stdout.trim()
}

test('proxies of the environment are not used', async t => {
  const [receiver, proxy] = [await startReceiver(t), await startReceiver(t)]
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  const env = { NODE_USE_ENV_PROXY: '1', ...Object.fromEntries(names.map(name => [name, proxy.origin])) }
  assert.equal(await inEnvironment(env, receiver.url, 'outbound'), '200')
  assert.deepEqual([receiver.requests.length, proxy.connections], [1, 0])
  await inEnvironment(env, receiver.url, 'fetch')
  assert.ok(proxy.connections > 0, 'the environment names a proxy that Node itself would use')
})

test('certificates are verified even where the environment says not to', async t => {
  const receiver = await startReceiver(t, { tls: makeCertificate(t, 'IP:127.0.0.1') })
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  assert.equal(await inEnvironment(env, receiver.url, 'outbound'), 'tls')
  assert.equal(await inEnvironment(env, receiver.url, 'fetch'), '200')
})
