import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { startBursar, type TestBursar } from '../../harness/bursar.ts'
import { cloneDatabase } from '../../harness/postgres/databases.ts'
import type { Client, Json } from '../../harness/client.ts'
import { startReceiver, type Received } from '../../harness/receiver.ts'
import { ERP, sampleWebhook } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import { NOBODY } from '../../harness/nobody.ts'
import { askDeveloper as ask, runDeveloper as run, type Env } from '../command-line.ts'
import { freePort, listen, startStoppable } from './listening.ts'

const TRIGGER = '/api/v1/sandbox/events/trigger'
const SECRET = `whsec_${Buffer.from('a key that only this test has').toString('base64')}`
const GROUP_ENV: Env = { BURSAR_API_KEY: 'key_test_group', BURSAR_API_SECRET: 'secret_test_group' }
const LIVE: Env = {
  BURSAR_MODE: 'live',
  PUBLIC_URL: 'https://fees.example.in',
  TRUST_PROXY: '127.0.0.1',
}

async function trigger(client: Client, event_code: string, collector_code?: string): Promise<string> {
  const answer = await client.post(TRIGGER, { event_code, collector_code })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.event_id
}

function eventIds(requests: readonly Received[]): string[] {
  return requests.map(request => JSON.parse(request.body).event_id)
}

function plainHeaders({ headers }: Received): Record<string, string> {
  return headers as Record<string, string>
}

async function recorded(bursar: TestBursar, eventId: string): Promise<Json> {
  const [row] = await bursar.sql<Json>('select event_code, collector_code from events where id = $1', [
    eventId,
  ])
  return row
}

test('trigger records the event at the Bursar that the settings name, and says who gets it', async t => {
  const bursar = await startBursar(t)
  const env = { BURSAR_API_URL: bursar.url }
  const { code, out, err } = await run(env, 'trigger', 'flex.instalment.bounced')
  assert.equal(code, 0, err)
  assert.match(out, /^Recorded flex\.instalment\.bounced as evt_\w+\.\n.*no subscription/)
  await bursar.demo.post(`${ERP}/webhooks`, sampleWebhook({ event_code: 'refund.failed' }))
  const shown = await ask({}, 'trigger', 'refund.failed', '--url', `${bursar.url}/`)
  assert.equal(shown.subscriptions, 1)
  assert.deepEqual(await recorded(bursar, shown.event_id), {
    event_code: 'refund.failed',
    collector_code: 'MAIN',
  })
})

test('trigger takes key and branch, and passes on what Bursar says of a missing one', async t => {
  const bursar = await startBursar(t)
  const command = ['trigger', 'cred.loan.disbursed', '--url', bursar.url]
  const without = await run(GROUP_ENV, ...command)
  assert.deepEqual([without.code, without.out], [1, ''])
  assert.match(without.err, /collector_code is required.*NORTH, SOUTH/)
  const byOptions = await ask(
    {},
    ...command,
    '--key',
    'key_test_group',
    '--secret',
    'secret_test_group',
    '--branch',
    'SOUTH',
  )
  assert.equal((await recorded(bursar, byOptions.event_id)).collector_code, 'SOUTH')
  const bySettings = await ask(GROUP_ENV, ...command, '--branch', 'NORTH')
  assert.equal((await recorded(bursar, bySettings.event_id)).collector_code, 'NORTH')
})

test('an unknown event code is refused before anything is asked, with the codes there are', async () => {
  const typed = await run({ BURSAR_API_URL: 'http://127.0.0.1:1' }, 'trigger', 'pay.payment.lost')
  assert.deepEqual([typed.code, typed.out], [1, ''])
  assert.match(typed.err, /"pay\.payment\.lost" is not an event code.*pay\.payment\.debited/)
  const filter = await run(
    { BURSAR_API_URL: 'http://127.0.0.1:1' },
    'listen',
    '--forward-to',
    'http://h/',
    '--events',
    'refund.lost',
  )
  assert.deepEqual([filter.code, filter.out], [1, ''])
  assert.match(filter.err, /"refund\.lost" is not an event code.*refund\.failed/)
})

test('what cannot work is said in one plain sentence, by trigger and by listen', async t => {
  const bursar = await startBursar(t)
  const other = await startReceiver(t)
  const nobody = `http://127.0.0.1:${await freePort()}`
  const live = await startBursar(t, { DATABASE_URL: await cloneDatabase(t), ...LIVE })
  const wrong = ['--key', 'key_test_demo', '--secret', 'wrong']
  const cases: [string[], RegExp][] = [
    [['--url', bursar.url, ...wrong], /does not accept the API key key_test_demo.*BURSAR_API_SECRET/],
    [['--url', bursar.url, '--key', 'key_test_demo'], /--key and --secret go together/],
    [
      ['--url', nobody],
      /^Bursar does not answer at http:\/\/127\.0\.0\.1:\d+: The connection was refused\.\n$/,
    ],
    [['--url', other.origin], /is not Bursar \(it answered 200\)/],
    [['--url', live.url], /runs in live mode; this is only for a sandbox/],
    [['--url', 'nowhere'], /"nowhere" is not an address/],
  ]
  const commands = [
    ['trigger', 'refund.failed'],
    ['listen', '--forward-to', other.url],
  ]
  for (const [args, expected] of cases) {
    for (const command of commands) {
      const { code, out, err } = await run({}, ...command, ...args)
      assert.deepEqual([code, out], [1, ''], `${command[0]} ${args.join(' ')}: ${err}`)
      assert.match(err, expected)
      assert.equal(err.trimEnd().split('\n').length, 1, err)
    }
  }
  const half = await run({ BURSAR_API_KEY: 'key_test_demo' }, 'trigger', 'refund.failed')
  assert.match(half.err, /BURSAR_API_KEY and BURSAR_API_SECRET go together/)
  const secret = await run({}, 'listen', '--forward-to', other.url, '--signing-secret', 'whsec_!')
  assert.match(secret.err, /signing secret/)
})

test('listen brings an event to the receiver, signed so that every verifier accepts it', async t => {
  const bursar = await startBursar(t)
  const receiver = await startReceiver(t)
  const target = `${receiver.origin}/hooks/?from=bursar`
  const listening = await listen(t, {}, '--url', bursar.url, '--forward-to', target)
  assert.ok(listening.out().includes(`Forwarding events of ${bursar.url} to ${target}.`))
  const secret = /^Signing secret: (whsec_\S+)$/m.exec(listening.out())?.[1] ?? assert.fail()
  const eventId = await trigger(bursar.demo, 'pay.payment.settled')
  const [request] = await receiver.waitForRequests(1)
  assert.ok(request)
  assert.deepEqual([request.method, request.path], ['POST', '/hooks/?from=bursar'])
  const headers = plainHeaders(request)
  assert.equal(headers['content-type'], 'application/json')
  assert.deepEqual([headers['webhook-id'], JSON.parse(request.body).event_id], [eventId, eventId])
  for (const verifier of [new StandardWebhook(secret), new SvixWebhook(secret)]) {
    verifier.verify(request.body, headers)
    assert.throws(() => verifier.verify(`${request.body} `, headers))
  }
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  assert.equal(headers['x-signature'], createHmac('sha256', key).update(request.body).digest('hex'))
  const line = new RegExp(
    `^\\d\\d:\\d\\d:\\d\\d IST  pay\\.payment\\.settled  ${eventId}  -> 200 in \\d+ ms$`,
    'm',
  )
  await listening.waitFor(line)
  assert.equal(await listening.interrupt(), 'SIGINT')
  assert.equal(listening.err(), '')
})

/** All headers, without what differs from one sending to the next. */
function shape({ headers }: Received): Json {
  return { ...headers, host: '', 'webhook-timestamp': '', 'webhook-signature': '' }
}

test('what listen sends is byte for byte what a subscription is sent, under the same headers', async t => {
  const bursar = await startBursar(t, { BURSAR_ROLE: 'all' })
  const [subscriber, listener] = [await startReceiver(t), await startReceiver(t)]
  for (const event_code of ['payment_link.payment.debited', 'flex.subscription.setup']) {
    const webhook = sampleWebhook({ event_code, url: subscriber.url, secret_key: SECRET })
    assert.equal((await bursar.demo.post(`${ERP}/webhooks`, webhook)).status, 201)
  }
  const args = ['--url', bursar.url, '--forward-to', listener.url, '--signing-secret', SECRET]
  await listen(t, {}, ...args)
  for (const code of ['payment_link.payment.debited', 'flex.subscription.setup']) {
    await trigger(bursar.demo, code)
  }
  const delivered = await subscriber.waitForRequests(2)
  for (const sent of await listener.waitForRequests(2)) {
    const twin = delivered.find(one => one.body === sent.body) ?? assert.fail('another body')
    for (const request of [sent, twin])
      new StandardWebhook(SECRET).verify(request.body, plainHeaders(request))
    assert.deepEqual(shape(sent), shape(twin))
  }
})

test('listen brings only what is recorded after it began, in order, of the chosen events and branch', async t => {
  const bursar = await startBursar(t)
  const receiver = await startReceiver(t)
  await trigger(bursar.group, 'refund.failed', 'SOUTH')
  const events = 'refund.failed,flex.mandate.expired'
  const args = ['--forward-to', receiver.url, '--events', events, '--branch', 'SOUTH', '--json']
  const listening = await listen(t, GROUP_ENV, '--url', bursar.url, ...args)
  const wanted = [await trigger(bursar.group, 'refund.failed', 'SOUTH')]
  await trigger(bursar.group, 'refund.failed', 'NORTH')
  await trigger(bursar.group, 'refund.processed', 'SOUTH')
  await trigger(bursar.demo, 'refund.failed')
  for (let n = 0; n < 120; n++) await trigger(bursar.group, 'cred.emi.debited', 'SOUTH')
  for (const code of ['flex.mandate.expired', 'refund.failed', 'refund.failed'])
    wanted.push(await trigger(bursar.group, code, 'SOUTH'))
  await receiver.waitForRequests(wanted.length)
  await waitFor(async () => listening.out().split('\n').length > wanted.length + 1, 'a line for each')
  assert.deepEqual(eventIds(receiver.requests), wanted)
  const [began, ...lines] = listening
    .out()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.deepEqual([began.url, began.forward_to], [bursar.url, receiver.url])
  assert.deepEqual(
    lines.map(line => [line.event_id, line.status]),
    wanted.map(id => [id, 200]),
  )
})

test('an unknown branch is refused by listen at once', async t => {
  const bursar = await startBursar(t)
  const args = ['--url', bursar.url, '--forward-to', `http://${NOBODY}/`, '--branch', 'WEST']
  const { code, out, err } = await run(GROUP_ENV, 'listen', ...args)
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /collector_code is not a branch.*NORTH, SOUTH/)
})

test('a receiver that fails is tried three times and reported, and the next event comes after', async t => {
  const bursar = await startBursar(t)
  const receiver = await startReceiver(t)
  receiver.answer((_request, n) => {
    if (n === 1) return 'destroy'
    if (n === 2) return { status: 302, headers: { location: '/elsewhere' } }
    return { status: n === 3 ? 500 : 204 }
  })
  const listening = await listen(t, {}, '--url', bursar.url, '--forward-to', receiver.url)
  const [first, second] = [
    await trigger(bursar.demo, 'refund.failed'),
    await trigger(bursar.demo, 'refund.processed'),
  ]
  await listening.waitFor(/-> 204/)
  assert.deepEqual(eventIds(receiver.requests), [first, first, first, second])
  const waits = receiver.requests.map(({ at }, n) => at - (receiver.requests[n - 1]?.at ?? at))
  assert.ok((waits[1] ?? 0) >= 950 && (waits[2] ?? 0) >= 4_950, String(waits))
  const said = listening
    .out()
    .split('\n')
    .filter(line => line.includes('->'))
    .map(line => line.replace(/^.*-> /, '').replace(/in \d+ ms/, 'in N ms'))
  assert.deepEqual(said, [
    'failed: The connection was closed before the answer was complete. Again in 1 s.',
    '302 in N ms; redirects are not followed. Again in 5 s.',
    '500 in N ms. Given up after 3 tries.',
    '204 in N ms',
  ])
})

test('listen outlives a restart of Bursar and misses nothing, not even on a new database', async t => {
  const env = { DATABASE_URL: await cloneDatabase(t) }
  const receiver = await startReceiver(t)
  const first = await startStoppable(t, env)
  const PORT = String(first.app.config.port)
  await trigger(first.demo, 'refund.failed')
  const listening = await listen(t, {}, '--url', first.url, '--forward-to', receiver.url)
  await first.stop()
  await listening.waitFor(/Bursar does not answer at .* Waiting for it\./)
  const second = await startStoppable(t, { ...env, PORT })
  const wanted = [await trigger(second.demo, 'refund.failed')]
  await receiver.waitForRequests(1)
  await second.stop()
  await listening.waitFor(/back at [^]*does not answer/)
  const third = await startStoppable(t, { PORT })
  wanted.push(await trigger(third.demo, 'refund.processed'))
  await receiver.waitForRequests(2)
  assert.deepEqual(eventIds(receiver.requests), wanted)
  assert.equal(listening.err().trim().split('\n').length, 4, listening.err())
})

test('Ctrl-C ends listen at once and cleanly, also while its receiver hangs', async t => {
  const bursar = await startBursar(t)
  const receiver = await startReceiver(t)
  receiver.answer(() => 'hang')
  const hanging = await listen(t, {}, '--url', bursar.url, '--forward-to', receiver.url)
  await trigger(bursar.demo, 'refund.failed')
  await receiver.waitForRequests(1)
  const began = Date.now()
  assert.equal(await hanging.interrupt(), 'SIGINT')
  assert.ok(Date.now() - began < 5_000)
  assert.equal(hanging.err(), '')
  assert.ok(!hanging.out().includes('->'), hanging.out())
})

test('trigger and listen explain themselves with an example', async () => {
  for (const command of ['trigger', 'listen']) {
    const { code, out } = await run({}, command, '--help')
    assert.equal(code, 0)
    assert.match(out, new RegExp(`Examples:\\n  \\$ bursar-cli ${command} `))
  }
})
