import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { scratch } from '../platform/embedded-postgres/fixtures/support.ts'
import type { Behaviour } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait.ts'
import { DELIVERIES, HOOKS, deliveryIn, listDeliveries, startDelivering, startReceiver } from './support.ts'
import { subscribe, subscribeFor, trigger } from './support.ts'

const WAITS = 4
const bursar = await startDelivering({ after })

/**
 * Two receivers that never end their answer, begun before everything else and looked at last: the limit of 15 s is the
 * product's own, and this way the file waits for it once.
 */
const endless = await Promise.all(
  (['hang', 'drip'] as const).map(async (how, index) => {
    const receiver = await startReceiver({ after })
    receiver.answer((_, n) => (n === 1 ? how : { status: 200 }))
    const collector_code = ['NORTH', 'SOUTH'][index]
    await subscribe(bursar.group, receiver.url, { collector_code })
    const event_code = 'pay.payment.debited'
    const { body } = await bursar.group.post('/api/v1/sandbox/events/trigger', { event_code, collector_code })
    return { how, receiver, eventId: body.data.event_id as string }
  }),
)

/** One event to a receiver that does this at first and answers 200 after it; the delivery once it has arrived. */
async function deliverAfter(t: TestContext, first: Behaviour) {
  const receiver = await startReceiver(t)
  receiver.answer((_, n) => (n === 1 ? first : { status: 200, body: 'ok' }))
  await subscribeFor(t, bursar.demo, receiver.url)
  const eventId = await trigger(bursar.demo)
  const delivery = await deliveryIn(bursar.demo, eventId, 'delivered')
  return { receiver, eventId, delivery }
}

test('an event that was refused comes again with the same id and the same bytes, and both attempts are on record', async t => {
  const { receiver, eventId, delivery } = await deliverAfter(t, { status: 500, body: 'we are down' })
  const [first, second] = receiver.requests
  assert.equal(receiver.requests.length, 2)
  assert.equal(first?.headers['webhook-id'], eventId)
  assert.equal(second?.headers['webhook-id'], eventId)
  assert.equal(second?.body, first?.body)
  const [refused, taken] = delivery.attempts
  assert.equal(delivery.attempts.length, 2)
  assert.deepEqual([refused.http_status, refused.response], [500, 'we are down'])
  assert.equal(refused.problem, 'The endpoint answered with status 500.')
  assert.deepEqual([taken.http_status, taken.response, 'problem' in taken], [200, 'ok', false])
  assert.ok(Date.parse(refused.attempted_at) <= Date.parse(taken.attempted_at))
})

test('an answer that breaks off is a failure although it began with 200', async t => {
  const { delivery } = await deliverAfter(t, 'close-mid-answer')
  const [first] = delivery.attempts
  assert.equal(delivery.attempts.length, 2)
  assert.equal('http_status' in first, false)
  assert.equal(first.problem, 'The connection was closed before the answer was complete.')
})

test('a connection dropped without an answer is a failure that is tried again', async t => {
  const { delivery } = await deliverAfter(t, 'destroy')
  assert.equal(delivery.attempts.length, 2)
  assert.match(delivery.attempts[0].problem, /closed/)
})

test('a flood behind a 200 counts as received and is cut short', async t => {
  const { receiver, delivery } = await deliverAfter(t, 'flood')
  assert.equal(delivery.attempts.length, 1)
  assert.equal(delivery.attempts[0].response, 'x'.repeat(1_000))
  await waitFor(async () => receiver.unfinishedAnswers === 1, 'the flood to be cut')
})

test('a redirect is a failure and is not followed, wherever it leads', async t => {
  const elsewhere = await startReceiver(t)
  for (const location of ['http://169.254.169.254/', elsewhere.url]) {
    const { receiver, delivery } = await deliverAfter(t, { status: 302, headers: { location } })
    assert.equal(receiver.requests.length, 2)
    assert.equal(delivery.attempts[0].http_status, 302)
    assert.match(delivery.attempts[0].problem, /redirect \(302\); redirects are not followed/)
    for (const { id } of (await bursar.demo.get(HOOKS)).body.data) await bursar.demo.delete(`${HOOKS}/${id}`)
  }
  assert.equal(elsewhere.connections, 0)
})

test('the metadata address is not reached, and the log says why', async t => {
  await subscribeFor(t, bursar.demo, 'http://169.254.169.254/latest/meta-data')
  const delivery = await deliveryIn(bursar.demo, await trigger(bursar.demo), 'exhausted')
  assert.equal(delivery.attempts.length, WAITS + 1)
  for (const attempt of delivery.attempts) assert.match(attempt.problem, /169\.254\.169\.254/)
})

test('a certificate that nobody vouches for is a failure that is named in plain words, and nothing is sent', async t => {
  const folder = scratch(t)
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') }
  const args = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test'
  const rest = ['-keyout', files.key, '-out', files.cert, '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', [...args.split(' '), ...rest], { stdio: 'ignore' })
  const tls = { key: readFileSync(files.key), cert: readFileSync(files.cert) }
  const receiver = await startReceiver(t, { tls })
  await subscribeFor(t, bursar.demo, receiver.url)
  const delivery = await deliveryIn(bursar.demo, await trigger(bursar.demo), 'exhausted')
  assert.equal(delivery.attempts[0].problem, 'The certificate is not trusted: self-signed certificate')
  assert.equal(receiver.requests.length, 0)
})

const RETRY_AFTER: [number, string, () => string][] = [
  [429, 'seconds', () => '120'],
  [503, 'seconds', () => '120'],
  [429, 'a date', () => new Date(Date.now() + 120_000).toUTCString()],
  [503, 'a date', () => new Date(Date.now() + 120_000).toUTCString()],
]

for (const [status, form, header] of RETRY_AFTER) {
  test(`Retry-After in ${form} on ${status} puts off the delivery, and all others to that endpoint`, async t => {
    const receiver = await startReceiver(t)
    receiver.answer(() => ({ status, headers: { 'retry-after': header() } }))
    await subscribeFor(t, bursar.demo, receiver.url)
    const eventId = await trigger(bursar.demo)
    const { next_attempt_at } = await deliveryIn(bursar.demo, eventId, 'retrying')
    const askedAt = receiver.requests[0]?.at ?? 0
    // A date has whole seconds, and the answer takes its time to be written down.
    const waitMs = Date.parse(next_attempt_at) - askedAt
    assert.ok(waitMs >= 119_000 && waitMs < 125_000, `${waitMs} ms`)

    const other = await startReceiver(t)
    await subscribeFor(t, bursar.demo, other.url, { event_code: 'refund.processed' })
    const held = await trigger(bursar.demo)
    await trigger(bursar.demo, 'refund.processed')
    await other.waitForRequests(1)
    assert.equal(receiver.requests.length, 1)
    assert.equal((await listDeliveries(bursar.demo, `?event_id=${held}`))[0]?.status, 'pending')
  })
}

test('a failure does not lift the pause that another answer asked for', async t => {
  const receiver = await startReceiver(t)
  const second = Promise.withResolvers<Behaviour>()
  receiver.answer((_, n) => (n === 1 ? { status: 429, headers: { 'retry-after': '600' } } : second.promise))
  const id = await subscribeFor(t, bursar.demo, receiver.url)
  const pausedFor = async (): Promise<number> => {
    const [row] = await bursar.sql<{ seconds: number | null }>(
      'select extract(epoch from paused_until - now())::float as seconds from webhook_subscriptions where id = $1',
      [id],
    )
    return row?.seconds ?? 0
  }
  // Both are out before either is answered.
  await bursar.sql('update webhook_subscriptions set paused_until = $2 where id = $1', [
    id,
    new Date(Date.now() + 5_000),
  ])
  const events = [await trigger(bursar.demo), await trigger(bursar.demo)]
  await bursar.sql('update webhook_subscriptions set paused_until = null where id = $1', [id])
  bursar.app.deliveries.wake()
  await receiver.waitForRequests(2)
  await waitFor(async () => (await pausedFor()) > 500, 'the pause')
  second.resolve({ status: 500 })
  for (const eventId of events) await deliveryIn(bursar.demo, eventId, 'retrying')
  assert.ok((await pausedFor()) > 500, `${await pausedFor()} s`)
})

test('a delivery is given up when its schedule has run out', async t => {
  const receiver = await startReceiver(t)
  receiver.answer(() => ({ status: 500 }))
  await subscribeFor(t, bursar.demo, receiver.url)
  const delivery = await deliveryIn(bursar.demo, await trigger(bursar.demo), 'exhausted')
  assert.equal(delivery.attempts.length, WAITS + 1)
  assert.equal(receiver.requests.length, WAITS + 1)
  assert.equal('next_attempt_at' in delivery, false)
})

test('an answer of 410 disables the subscription and cancels whatever waits for it', async t => {
  const receiver = await startReceiver(t)
  receiver.answer((_, n) => (n === 1 ? { status: 503, headers: { 'retry-after': '3600' } } : { status: 410 }))
  const id = await subscribe(bursar.demo, receiver.url)
  const waiting = await trigger(bursar.demo)
  await deliveryIn(bursar.demo, waiting, 'retrying')
  await bursar.sql('update webhook_subscriptions set paused_until = null where id = $1', [id])
  const gone = await deliveryIn(bursar.demo, await trigger(bursar.demo), 'cancelled')
  assert.equal(gone.attempts[0].http_status, 410)
  assert.equal((await deliveryIn(bursar.demo, waiting, 'cancelled')).attempts.length, 1)
  const { data } = (await bursar.demo.get(`${HOOKS}/${id}`)).body
  assert.equal(data.status, 'disabled')
  assert.ok(Date.parse(data.disabled_at) <= Date.now())
  assert.deepEqual((await bursar.demo.get(HOOKS)).body.data, [])
  assert.equal((await bursar.demo.post(`${DELIVERIES}/${gone.id}/redeliver`)).status, 409)
})

test('an answer that no database can store is recorded all the same, and neighbours are not held up', async t => {
  const strange = Buffer.concat([
    Buffer.from('a'.repeat(998)),
    Buffer.from([0, 0xff]),
    Buffer.from('😀'.repeat(20)),
  ])
  const half = `${'a'.repeat(999)}😀`
  for (const body of [strange, half, Buffer.alloc(2_000)]) {
    const { delivery } = await deliverAfter(t, { status: 500, body })
    assert.deepEqual(
      delivery.attempts.map((each: { http_status: number }) => each.http_status),
      [500, 200],
    )
    for (const { id } of (await bursar.demo.get(HOOKS)).body.data) await bursar.demo.delete(`${HOOKS}/${id}`)
  }
})

test('a subscription whose secrets cannot be opened fails by itself and takes nobody with it', async t => {
  const [broken, well] = [await startReceiver(t), await startReceiver(t)]
  const id = await subscribeFor(t, bursar.demo, broken.url)
  await subscribeFor(t, bursar.demo, well.url, { event_code: 'refund.processed' })
  await bursar.sql(`update webhook_subscriptions set secret_sealed = '\\x00' where id = $1`, [id])
  const delivery = await deliveryIn(bursar.demo, await trigger(bursar.demo), 'exhausted')
  assert.equal(delivery.attempts.length, WAITS + 1)
  assert.match(delivery.attempts[0].problem, /^It could not be sent\./)
  assert.equal(broken.requests.length, 0)
  await trigger(bursar.demo, 'refund.processed')
  await well.waitForRequests(1)
})

test('an endpoint that does not finish its answer within 15 s has failed, and the delivery comes again', async () => {
  for (const { how, receiver, eventId } of endless) {
    const [, second] = await receiver.waitForRequests(2, 20_000)
    assert.equal(second?.headers['webhook-id'], eventId)
    const { attempts } = await deliveryIn(bursar.group, eventId, 'delivered')
    assert.equal(attempts.length, 2)
    const words = how === 'hang' ? 'No answer came' : 'The answer was not complete'
    assert.equal(attempts[0].problem, `${words} within 15000 ms.`)
    assert.ok(attempts[0].duration_ms >= 14_900 && attempts[0].duration_ms < 18_000)
  }
})
