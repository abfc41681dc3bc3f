import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { readConfig } from '../../src/app/config.ts'
import { createInstitute } from '../../src/institutes/institutes.service.ts'
import { createKey } from '../../src/institutes/keys.service.ts'
import { openDatabase } from '../../src/app/open-database.ts'
import { seedSandbox } from '../../src/sandbox/seed/seed.service.ts'
import { TEST_MASTER_KEY } from '../harness/bursar.ts'
import { DEMO, GROUP, type Credentials, type Json } from '../harness/client.ts'
import { emptyDatabase } from '../harness/postgres/databases.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { scratch, undoLater } from '../platform/embedded-postgres/fixtures/support.ts'
import { bareEnv } from '../harness/processes/child-env.ts'
import { NOBODY } from '../harness/nobody.ts'

/** Live mode as an operator runs it: a process of its own on a database that was empty before. */
const PUBLIC_URL = 'https://fees.school.example.in'
const DB_PASSWORD = 'the-database-password'
const METRICS_TOKEN = 'the-metrics-token'

type Run = {
  output: () => string
  isOver: () => boolean
  exit: Promise<number | null>
  stop: () => Promise<number | null>
}
type Live = Run & { port: number; env: Record<string, string>; send: Send }
type Reply = { status: number; headers: Record<string, unknown>; text: string; body: Json }
type Send = (
  path: string,
  options?: { as?: Credentials; headers?: Record<string, string>; body?: unknown; ca?: Buffer },
) => Promise<Reply>

function run(t: TestContext, env: Record<string, string>): Run {
  const child = spawn(process.execPath, ['src/app/main.ts'], {
    cwd: join(import.meta.dirname, '..', '..'),
    env: { ...bareEnv(), BURSAR_MODE: 'live', PORT: '0', DRAIN_SECONDS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (text += String(part)))
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null
  const exit = once(child, 'close').then(([code]) => code as number | null)
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    return exit
  }
  undoLater(t, () => end('SIGKILL'))
  return { output: () => text, isOver, exit, stop: () => end('SIGTERM') }
}

/** Settings that are complete, on a database of its own with nothing in it. */
async function liveSettings(t: TestContext): Promise<Record<string, string>> {
  const database = new URL(await emptyDatabase({ after: done => undoLater(t, done) }))
  database.password = DB_PASSWORD
  return {
    BURSAR_MODE: 'live',
    DATABASE_URL: database.href,
    MASTER_KEY: TEST_MASTER_KEY,
    PUBLIC_URL,
    TRUST_PROXY: '127.0.0.1',
    METRICS_TOKEN,
  }
}

async function startLive(t: TestContext, changes: Record<string, string> = {}): Promise<Live> {
  const env = { ...(await liveSettings(t)), ...changes }
  const started = run(t, env)
  const { output, isOver } = started
  await waitFor(async () => output().includes('Ctrl-C stops it.') || isOver(), 'Bursar to start')
  const [, scheme, port] = /Listening +(https?):\/\/127\.0\.0\.1:(\d+)/.exec(output()) ?? []
  assert.ok(port, output())
  return { ...started, env, port: Number(port), send: sender(Number(port), scheme === 'https') }
}

/** Node's own client, because fetch does not let a test choose the Host header or the trusted certificate. */
function sender(port: number, isTls: boolean): Send {
  return async (path, { as, headers = {}, body, ca } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const sent = (isTls ? tlsRequest : plainRequest)(
      {
        host: '127.0.0.1',
        port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', ...headers },
        ...(as === undefined ? {} : { auth: `${as.key}:${as.secret}` }),
        ...(ca === undefined ? {} : { ca }),
      },
      response => {
        let text = ''
        response.on('data', part => (text += String(part)))
        response.on('end', () => {
          const isJson = String(response.headers['content-type']).startsWith('application/json')
          const parsed: Json = isJson ? JSON.parse(text) : undefined
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed })
        })
      },
    )
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    return promise
  }
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const THROUGH_PROXY = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' }

/** An institute and a key, made as the operator makes them: beside the running process. */
async function makeKey(env: Record<string, string>): Promise<Credentials> {
  const { ctx } = await openDatabase(readConfig(env))
  try {
    const branches = [{ collectorCode: 'MAIN', name: 'Main' }]
    await createInstitute(ctx, { code: 'real', name: 'Real School', strictCatalogue: false, branches })
    const { keyId, secret } = await createKey(ctx, 'real', { label: 'erp', scopes: ['read', 'write'] })
    return { key: keyId, secret }
  } finally {
    await ctx.db.close()
  }
}

function assertNothingSecret(output: string): void {
  for (const secret of [DB_PASSWORD, 'postgres://', DEMO.key, DEMO.secret, GROUP.key, GROUP.secret]) {
    assert.ok(!output.includes(secret), `"${secret}" was written out: ${output}`)
  }
  assert.ok(!output.includes(TEST_MASTER_KEY) && !output.includes(METRICS_TOKEN), output)
}

function assertError(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, reply.text)
  assert.equal(reply.body.status, 'error')
  assert.equal(reply.body.code, code)
  assert.match(reply.body.message, /\w+/)
  assert.match(reply.body.request_id, /^req_/)
}

test('in live mode every missing setting is named at once, and nothing starts', async t => {
  const bare = run(t, {})
  const plain = run(t, { ...(await liveSettings(t)), PUBLIC_URL: 'http://fees.school.example.in' })
  assert.equal(await bare.exit, 1)
  for (const name of [
    'MASTER_KEY',
    'DATABASE_URL',
    'PUBLIC_URL',
    'TLS_CERT_FILE',
    'TLS_KEY_FILE',
    'TRUST_PROXY',
  ])
    assert.ok(bare.output().includes(name), `${name} is missing and must be named: ${bare.output()}`)
  assert.equal(await plain.exit, 1)
  assert.match(plain.output(), /PUBLIC_URL must begin with https/)
  assertNothingSecret(plain.output())
})

test('a database that cannot be reached at the start is told as such, without its password', async t => {
  const away = `postgres://bursar:${DB_PASSWORD}@${NOBODY}/bursar`
  const { exit, output } = run(t, { ...(await liveSettings(t)), DATABASE_URL: away })
  assert.equal(await exit, 1)
  assertNothingSecret(output())
  assert.match(output(), /DATABASE_URL|database/i)
})

test('a live Bursar', async t => {
  const { env, output, send, port, stop } = await startLive(t)

  await t.test('migrates an empty database and puts no institute and no key into it', async () => {
    assert.match(output(), /Mode +live/)
    const client = new pg.Client({ connectionString: env['DATABASE_URL'] })
    await client.connect()
    const { rows } = await client.query(
      `select (select count(*)::int from institutes) as institutes, (select count(*)::int from api_keys) as keys,
         (select count(*)::int from schema_migrations) > 0 as migrated`,
    )
    await client.end()
    assert.deepEqual(rows, [{ institutes: 0, keys: 0, migrated: true }])
  })

  const as = await makeKey(env)

  await t.test('refuses the published test credentials, even when its database has them', async () => {
    const { ctx } = await openDatabase(readConfig(env))
    await seedSandbox(ctx, false)
    await ctx.db.close()
    for (const published of [DEMO, GROUP]) {
      const reply = await send(`${PAY}/orders`, { as: published, headers: THROUGH_PROXY })
      assertError(reply, 401, 'AUE00000')
      assert.equal(reply.headers['www-authenticate'], 'Basic realm="fee-collection"')
    }
  })

  await t.test('refuses API calls by plain http, and takes the word of its proxy for https', async () => {
    const order = { as, body: sampleOrder() }
    assertError(await send(`${PAY}/orders`, order), 400, 'HUE00000')
    assertError(await send(`${PAY}/orders`, { as }), 400, 'HUE00000')
    const byHttp = { 'x-forwarded-proto': 'http' }
    assertError(await send(`${PAY}/orders`, { ...order, headers: byHttp }), 400, 'HUE00000')
    const made = await send(`${PAY}/orders`, { ...order, headers: THROUGH_PROXY })
    assert.equal(made.status, 201, made.text)
    assert.match(String(made.headers['strict-transport-security']), /^max-age=\d+/)
  })

  await t.test('begins redirect_url with PUBLIC_URL whatever the request says about its host', async () => {
    const evil = 'evil.example'
    const lies = { ...THROUGH_PROXY, host: evil, 'x-forwarded-host': evil, forwarded: `host=${evil}` }
    for (const path of [`${PAY}/orders`, `${PAY}/payment_links`]) {
      const made = await send(path, { as, body: sampleOrder(), headers: lies })
      assert.equal(made.status, 201, made.text)
      const url: string = made.body.data.redirect_url
      assert.ok(url.startsWith(`${PUBLIC_URL}/pay/real/${made.body.data.order_id}`), url)
      assert.ok(!made.text.includes(evil) && !made.text.includes(`:${port}`))
      const page = await send(new URL(url).pathname, { headers: lies })
      assert.equal(page.status, 200)
      assert.ok(!page.text.includes(evil))
    }
  })

  await t.test('has no sandbox', async () => {
    const asked = { as, headers: THROUGH_PROXY }
    assertError(await send('/api/v1/sandbox/clock', asked), 404, 'HUE00001')
    for (const path of ['clock', 'settlements/run', 'pay/orders/order_1/pay', 'events/trigger'])
      assertError(await send(`/api/v1/sandbox/${path}`, { ...asked, body: {} }), 404, 'HUE00001')
    const reference = await send('/openapi.json')
    assert.equal(reference.status, 200)
    assert.deepEqual(
      Object.keys(reference.body.paths).filter(path => path.includes('/sandbox')),
      [],
    )
  })

  await t.test('shows its metrics to the token only', async () => {
    assert.equal((await send('/metrics')).status, 404)
    assert.equal((await send('/metrics', bearer('another'))).status, 404)
    const shown = await send('/metrics', bearer(METRICS_TOKEN))
    assert.equal(shown.status, 200)
    assert.match(shown.text, /^bursar_http_request_duration_seconds_count/m)
  })

  await t.test('writes out no credentials, in all it said until it was stopped', async () => {
    assert.equal(await stop(), 0)
    assert.match(output(), /"msg":"request"/, 'the log was flushed')
    assertNothingSecret(output())
    assert.ok(!output().includes(as.secret))
  })
})

test('a live Bursar believes no stranger about https, and without a token shows no metrics', async t => {
  const { send, env } = await startLive(t, { TRUST_PROXY: '192.0.2.1', METRICS_TOKEN: '' })
  const asked = { as: await makeKey(env), headers: THROUGH_PROXY }
  assertError(await send(`${PAY}/orders`, asked), 400, 'HUE00000')
  assert.equal((await send('/metrics')).status, 404)
  assert.equal((await send('/metrics', bearer(''))).status, 404)
})

test('a live Bursar with a certificate serves https itself, and plain http not at all', async t => {
  const folder = scratch(t)
  const [TLS_KEY_FILE, TLS_CERT_FILE] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const args = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
  ]
  args.push('-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1')
  execFileSync('openssl', [...args, '-keyout', TLS_KEY_FILE, '-out', TLS_CERT_FILE], { stdio: 'ignore' })
  const live = await startLive(t, { TLS_KEY_FILE, TLS_CERT_FILE, TRUST_PROXY: '' })
  const [as, ca] = [await makeKey(live.env), readFileSync(TLS_CERT_FILE)]
  const made = await live.send(`${PAY}/orders`, { as, ca, body: sampleOrder() })
  assert.equal(made.status, 201, made.text)
  assert.ok(made.body.data.redirect_url.startsWith(`${PUBLIC_URL}/pay/`))
  await assert.rejects(live.send('/healthz'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  await assert.rejects(sender(live.port, false)('/healthz', { headers: THROUGH_PROXY }))
  assert.equal(await live.stop(), 0)
  assertNothingSecret(live.output())
  assert.ok(!live.output().includes('PRIVATE KEY') && !live.output().includes(as.secret))
})
