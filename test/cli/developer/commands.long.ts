import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { RECIPES } from '../../../cli/src/recipes.ts'
import { startBursar } from '../../harness/bursar.ts'
import { bareEnv } from '../../harness/processes/child-env.ts'
import { startReceiver, type Received } from '../../harness/receiver.ts'
import { ERP, sampleWebhook } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import { askDeveloper as ask, runDeveloper as run, scratch, startDeveloper } from '../command-line.ts'
import { listen } from './listening.ts'

const bursar = await startBursar({ after }, { BURSAR_ROLE: 'all' })
const HERE = { BURSAR_API_URL: bursar.url }

test('login keeps a key that works in a file that only its owner can read, and refuses one that does not', async t => {
  const file = join(scratch(t), 'folder', 'cli.json')
  const env = { BURSAR_CLI_CONFIG: file }
  const login = async (secret: string, ...args: string[]): Promise<number | null> => {
    const child = spawn(
      process.execPath,
      ['cli/src/main.ts', 'login', '--secret-stdin', '--url', bursar.url, ...args],
      {
        env: { ...bareEnv(), ...env },
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    )
    child.stdin.end(secret)
    await once(child, 'close')
    return child.exitCode
  }
  assert.equal(await login('wrong', '--key', 'key_test_demo'), 1)
  assert.equal(existsSync(file), false)
  assert.equal(await login('secret_test_demo', '--key', 'key_test_demo'), 0)
  assert.equal(await login('secret_test_group', '--key', 'key_test_group', '--profile', 'group'), 0)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(
    (await ask(env, 'profiles')).map(({ profile, is_used }: { profile: string; is_used: boolean }) => [
      profile,
      is_used,
    ]),
    [
      ['default', false],
      ['group', true],
    ],
  )
  const branches = await run(env, 'trigger', 'refund.failed')
  assert.match(branches.err, /collector_code is required/)
  assert.equal((await run(env, 'trigger', 'refund.failed', '--profile', 'default')).code, 0)
  assert.match(
    (await run(env, 'get', 'pay/orders', '--profile', 'defalt')).err,
    /no profile "defalt".*default, group/,
  )
  chmodSync(file, 0o644)
  assert.match((await run(env, 'profiles', '--use', 'default')).err, /Others could read/)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  for (const text of ['Of another program.', '{"name": "package"}', 'null']) {
    const other = join(scratch(t), 'other')
    writeFileSync(other, text, { mode: 0o644 })
    assert.match((await run({ BURSAR_CLI_CONFIG: other }, 'profiles')).err, /holds no profiles/)
    assert.equal(statSync(other).mode & 0o777, 0o644)
  }
  assert.equal((await run(env, 'logout', 'group')).code, 0)
  assert.ok(!readFileSync(file, 'utf8').includes('secret_test_group'))
})

test('listen signs with the same secret on every run, and sends headers of the developer', async t => {
  const env = { ...HERE, BURSAR_CLI_CONFIG: join(scratch(t), 'cli.json') }
  const receiver = await startReceiver(t)
  const args = ['--forward-to', receiver.url, '--header', 'X-Tenant: green-park', '--print']
  const first = await listen(t, env, ...args)
  const { event_id } = await ask(HERE, 'trigger', 'refund.failed', '--override', 'refund.amount=12.34')
  const [request] = await receiver.waitForRequests(1)
  assert.equal(request?.headers['x-tenant'], 'green-park')
  assert.equal(JSON.parse(request?.body ?? '').payload.refund.amount, 12.34)
  await first.waitFor(new RegExp(`"event_id": "${event_id}"[^]*-> 200`))
  const second = await listen(t, env, ...args)
  const [one, two] = [first, second].map(one => /whsec_\S+/.exec(one.out())?.[0])
  assert.equal(one, two)
})

test('a receiver with a self-signed certificate is reached with --insecure only', async t => {
  const folder = scratch(t)
  const [key, cert] = ['key.pem', 'cert.pem'].map(name => join(folder, name)) as [string, string]
  const subject = ['-subj', '/CN=localhost', '-days', '2']
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject]
  execFileSync('openssl', made, { stdio: 'ignore' })
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => {
    response.end()
  }).listen(0, '127.0.0.1')
  t.after(() => server.close().closeAllConnections())
  await once(server, 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const careful = await listen(t, HERE, '--forward-to', url)
  const careless = await listen(t, HERE, '--forward-to', url, '--insecure')
  await ask(HERE, 'trigger', 'refund.failed')
  await careful.waitFor(/failed: Its certificate is self-signed; --insecure takes it\./)
  await careless.waitFor(/-> 200/)
})

test('every recipe causes its event, about something that can be read', async () => {
  for (const code of Object.keys(RECIPES)) {
    const { steps } = await ask(HERE, 'trigger', code, '--real')
    const made: string = steps[0].id
    await waitFor(async () => {
      const rows = await bursar.sql('select 1 from events where resource_id = $1 and event_code = $2', [
        made,
        code,
      ])
      return rows.length === 1
    }, `${code} of ${made}`)
    const path = made.startsWith('student') ? `erp/students/${made}/fee` : `pay/orders/${made}`
    const isLink = code.startsWith('payment_link')
    assert.equal((await run(HERE, 'get', isLink ? `pay/payment_links/${made}` : path)).code, 0, code)
  }
  for (const code of ['cred.emi.debited', 'page.payment.debited']) {
    const { err } = await run(HERE, 'trigger', code, '--real')
    assert.ok(
      err.endsWith(`is not an event that --real can cause. Those are: ${Object.keys(RECIPES).join(', ')}.\n`),
      err,
    )
  }
  const guide = readFileSync('docs/erp-developer/command-line.md', 'utf8')
  const named = guide
    .split('## Trigger')[1]
    ?.split('\n## ')[0]
    ?.match(/`[a-z_]+\.[a-z_.]+`/g)
  assert.deepEqual(
    named,
    Object.keys(RECIPES).map(code => `\`${code}\``),
  )
})

test('events resend delivers once more to the subscription that it went to', async t => {
  const receiver = await startReceiver(t)
  const webhook = sampleWebhook({ event_code: 'refund.processed', url: receiver.url })
  assert.equal((await bursar.demo.post(`${ERP}/webhooks`, webhook)).status, 201)
  const { event_id } = await ask(HERE, 'trigger', 'refund.processed')
  await receiver.waitForRequests(1)
  await waitFor(
    async () => (await run(HERE, 'events', 'resend', event_id)).code === 0,
    'its delivery to be over',
  )
  const both = await receiver.waitForRequests(2)
  assert.deepEqual(both.map(idOf), [event_id, event_id])
  assert.match((await run(HERE, 'events', 'resend', 'evt_nothing')).err, /none to resend to/)
  assert.match((await run(HERE, 'events', 'list')).out, new RegExp(`refund\\.processed +${event_id}`))
})

function idOf({ body }: Received): string {
  return JSON.parse(body).event_id
}

test('verify tells a genuine delivery from one that was changed, formatted or signed with another key', async t => {
  const folder = scratch(t)
  const receiver = await startReceiver(t)
  await listen(t, HERE, '--forward-to', receiver.url, '--signing-secret', 'a plain key')
  const { event_id } = await ask(HERE, 'trigger', 'refund.failed')
  const [sent] = await receiver.waitForRequests(1)
  const [body, headers] = ['body', 'headers'].map(name => join(folder, name)) as [string, string]
  writeFileSync(headers, JSON.stringify(sent?.headers))
  const verify = (text: string, secret = 'a plain key'): ReturnType<typeof run> => {
    writeFileSync(body, text)
    return run({}, 'verify', body, '--headers', headers, '--signing-secret', secret)
  }
  const raw = sent?.body ?? ''
  assert.equal((await verify(raw)).out, `Genuine: refund.failed ${event_id}.\n`)
  assert.match((await verify(raw, 'another')).err, /does not fit the body and the secret\.\n$/)
  assert.match((await verify(JSON.stringify(JSON.parse(raw), null, 2))).err, /formatted after it came/)
  assert.match((await verify(`${raw}\n`)).err, /line break at its end/)
  assert.equal((await verify(raw.replace('failed', 'Failed'))).code, 1)
})

test('logs tail shows the requests of this key as they are answered, and ends by the signal', async t => {
  const child = startDeveloper(HERE, 'logs', 'tail')
  t.after(() => child.kill('SIGKILL'))
  let out = ''
  child.stdout.on('data', part => (out += String(part)))
  await waitFor(async () => out.includes('Ctrl-C'), 'it to begin')
  await bursar.group.get('/api/v1/integrations/pay/orders/order_of_another')
  const answer = await bursar.demo.get('/api/v1/integrations/pay/orders/order_unknown')
  const id = answer.body.request_id
  await waitFor(async () => out.includes(id), 'the request in the log')
  assert.match(
    out,
    new RegExp(`404 HUE00001  GET /api/v1/integrations/pay/orders/:order_id  [\\d.]+ ms  ${id}`),
  )
  assert.equal(out.match(/ 404 /g)?.length, 1)
  assert.ok(!out.includes('/erp/requests'))
  child.kill('SIGINT')
  await once(child, 'close')
  assert.equal(child.signalCode, 'SIGINT')
  assert.equal((await ask(HERE, 'logs', 'show', id)).status, 404)
})

test('post and get reach any address, with a body from fields and a key against doing it twice', async () => {
  const path = '/api/v1/integrations/erp/users/register'
  const args = ['-f', 'name=Asha Rao', '-f', 'phone=+91 98765 43210', '-f', 'email=asha@example.in']
  const made = await run(HERE, 'post', path, ...args, '--idempotency-key', 'once')
  assert.equal(made.code, 0, made.err)
  assert.equal(
    (await run(HERE, 'post', 'erp/users/register', ...args, '--idempotency-key', 'once')).out,
    made.out,
  )
  assert.equal((await run(HERE, 'get', 'pay/orders', '-f', 'limit=1', '--json')).code, 0)
  const refused = await run(HERE, 'post', 'pay/orders', '-d', '{"name":""}')
  assert.match(refused.err, /HUE00000, req_\w+/)
  assert.match((await run(HERE, 'post', 'pay/orders', '-d', '{')).err, /not JSON/)
})

test('what is misspelt is answered by what was probably meant', async () => {
  assert.match((await run({}, 'lisen')).err, /Did you mean listen\?/)
  assert.match((await run({}, 'trigger', 'refund.procesed')).err, /Did you mean refund\.processed\?/)
  assert.match((await run({}, 'listen', '--forward', 'x')).err, /Did you mean --forward-to\?/)
  assert.match((await run({}, 'samples', 'recieve-webhooks.mjs')).err, /Did you mean receive-webhooks\.mjs\?/)
})

test('completion knows commands, their options and event codes', async t => {
  const script = join(scratch(t), 'completion.bash')
  writeFileSync(script, (await run({}, 'completion', 'bash')).out)
  const complete = (...words: string[]): string[] =>
    execFileSync(
      'bash',
      [
        '-c',
        `. "$0"; COMP_WORDS=(bursar-cli "$@"); COMP_CWORD=$#; _bursar_cli; printf '%s\\n' "\${COMPREPLY[@]}"`,
        script,
        ...words,
      ],
      { encoding: 'utf8' },
    )
      .trim()
      .split('\n')
  assert.deepEqual(complete('lo'), ['login', 'logout', 'logs'])
  assert.deepEqual(complete('logs', 't'), ['tail'])
  assert.deepEqual(complete('trigger', 'refund.'), ['refund.processed', 'refund.failed'])
  assert.deepEqual(complete('listen', '--forward'), ['--forward-to'])
  for (const shell of ['zsh', 'fish'])
    assert.match((await run({}, 'completion', shell)).out, /refund\.processed/)
})
