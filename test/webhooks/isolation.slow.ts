import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { EVENT_CODES } from '../../src/events/define-event.ts'
import { openDeliveries } from '../../src/app/bursar.ts'
import { createLog } from '../../src/platform/log.ts'
import type { TestBursar } from '../harness/bursar.ts'
import type { Behaviour, Receiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait.ts'
import { recordMany, startDelivering, startReceiver, subscribe, subscribeFor, trigger } from './support.ts'

/** One endpoint's trouble is its own. */
const PLACES = 20
/** As standard: to begin with, and for an endpoint that takes its time. */
const FIRST_PLACES = 20
const MOST_PLACES = 50
const HEALTHY = 50
const EACH = 10
const PROMPT_MS = 5_000
/** The shortest that the circuit makes. */
const FIRST_PAUSE_MS = 5_000
const env = {
  WEBHOOK_CONCURRENCY: String(PLACES),
  WEBHOOK_RETRY_SECONDS: Array.from({ length: 30 }, () => '0.02').join(','),
}

const MAIN = { collectorCode: 'MAIN', count: EACH }
const NORTH = { collectorCode: 'NORTH', count: EACH }

/** Fifty endpoints, and what brings each its ten events: all codes of Demo School, then some of Demo Group's NORTH. */
const places = [
  ...EVENT_CODES.map(eventCode => ({ ...MAIN, eventCode })),
  ...EVENT_CODES.slice(0, HEALTHY - EVENT_CODES.length).map(eventCode => ({ ...NORTH, eventCode })),
]

async function allArrived(receivers: readonly Receiver[]): Promise<number> {
  const begin = Date.now()
  await Promise.all(receivers.map(each => each.waitForRequests(EACH, PROMPT_MS)))
  return Date.now() - begin
}

function assertEachOnce(receiver: Receiver, events: readonly string[]): void {
  const ids = receiver.requests.map(({ headers }) => String(headers['webhook-id']))
  assert.deepEqual(ids.sort(), [...events].sort())
}

test('fifty healthy endpoints get everything promptly while another hangs on a backlog of 300', async t => {
  const hanging = await startReceiver(t)
  hanging.answer(() => 'hang')
  const bursar = await startDelivering(t, env)
  await subscribe(bursar.group, hanging.url, { collector_code: 'SOUTH' })
  await recordMany(bursar, { collectorCode: 'SOUTH', count: 300 })
  await hanging.waitForRequests(PLACES)

  const receivers = await Promise.all(
    places.map(async ({ collectorCode: collector_code, eventCode: event_code }) => {
      const receiver = await startReceiver(t)
      const client = collector_code === 'MAIN' ? bursar.demo : bursar.group
      await subscribe(client, receiver.url, { event_code, collector_code })
      return receiver
    }),
  )
  const events = await Promise.all(places.map(place => recordMany(bursar, place)))
  t.diagnostic(`${HEALTHY * EACH} deliveries to ${HEALTHY} endpoints in ${await allArrived(receivers)} ms`)
  for (const [index, receiver] of receivers.entries()) {
    assertEachOnce(receiver, events[index] ?? [])
    assert.ok(receiver.maxInFlight <= PLACES)
  }
  assert.deepEqual([hanging.requests.length, hanging.inFlight, hanging.maxInFlight], [PLACES, PLACES, PLACES])
})

/** Whatever the workers take on, they have taken when nothing more is claimed. */
async function whenFull(bursar: TestBursar): Promise<number> {
  let claimed = -1
  const isFull = async (): Promise<boolean> => {
    const before = claimed
    const rows = await bursar.sql<{ count: number }>(
      'select count(*) from webhook_queue where claim is not null',
    )
    claimed = rows[0]?.count ?? 0
    return claimed > 0 && claimed === before
  }
  await waitFor(isFull, 'the engine to have its fill', { everyMs: 200 })
  return claimed
}

test('a healthy endpoint is served promptly while a host with forty subscriptions hangs on all of them', async t => {
  const [hanging, healthy] = [await startReceiver(t), await startReceiver(t)]
  hanging.answer(() => 'hang')
  const bursar = await startDelivering(t)
  for (const event_code of EVENT_CODES) await subscribe(bursar.demo, hanging.url, { event_code })
  await subscribe(bursar.group, healthy.url, { collector_code: 'NORTH' })
  for (const eventCode of EVENT_CODES) await recordMany(bursar, { eventCode, count: 30 })
  await hanging.waitForRequests(FIRST_PLACES)
  const held = await whenFull(bursar)
  const events = await recordMany(bursar, NORTH)
  t.diagnostic(`${EACH} deliveries in ${await allArrived([healthy])} ms, ${held} of the other host held`)
  assertEachOnce(healthy, events)
  assert.equal(hanging.maxInFlight, FIRST_PLACES)
})

test('a healthy endpoint is served promptly while forty others hang, each on a backlog', async t => {
  const healthy = await startReceiver(t)
  const hanging = await Promise.all(EVENT_CODES.map(() => startReceiver(t)))
  for (const receiver of hanging) receiver.answer(() => 'hang')
  const bursar = await startDelivering(t)
  await subscribe(bursar.group, healthy.url, { collector_code: 'NORTH' })
  for (const [index, event_code] of EVENT_CODES.entries())
    await subscribe(bursar.demo, hanging[index]?.url ?? '', { event_code })
  for (const eventCode of EVENT_CODES) await recordMany(bursar, { eventCode, count: 60 })
  const held = await whenFull(bursar)
  const events = await recordMany(bursar, NORTH)
  t.diagnostic(`${EACH} deliveries in ${await allArrived([healthy])} ms, ${held} of the others held`)
  assertEachOnce(healthy, events)
})

test('no endpoint is sent more at a time than it has places, over all its subscriptions', async t => {
  const bursar = await startDelivering(t, env)
  const receiver = await startReceiver(t)
  receiver.answer(async () => {
    await pause(5)
    return { status: 200 }
  })
  const codes = EVENT_CODES.slice(0, 3)
  for (const event_code of codes)
    await subscribe(bursar.demo, `${receiver.url}/${event_code}`, { event_code })
  const events = await Promise.all(codes.map(eventCode => recordMany(bursar, { eventCode, count: 100 })))
  await receiver.waitForRequests(300)
  assertEachOnce(receiver, events.flat())
  assert.equal(receiver.maxInFlight, PLACES)
})

test('an endpoint that takes its time is sent more at once, up to all its places', async t => {
  const bursar = await startDelivering(t)
  const receiver = await startReceiver(t)
  receiver.answer(async () => {
    await pause(300)
    return { status: 200 }
  })
  await subscribe(bursar.demo, receiver.url)
  const events = await recordMany(bursar, { count: 250 })
  await receiver.waitForRequests(250)
  assertEachOnce(receiver, events)
  assert.equal(receiver.maxInFlight, MOST_PLACES)
})

const shared = await startDelivering({ after }, env)

/** A second worker over the same database: what one may not do, two may not do together. */
const { deliveries, closeDeliveries } = openDeliveries(
  shared.app.config,
  shared.app.ctx,
  createLog({ level: 'silent', format: 'json' }),
)
deliveries.start()
after(closeDeliveries)

type Circuit = { failures: number; pauseS: number | null; claimed: number }

async function circuitOf(webhookId: string): Promise<Circuit> {
  const [row] = await shared.sql<Circuit>(
    `select failures_in_row as failures, extract(epoch from paused_until - now())::float as "pauseS",
       (select count(*) from webhook_queue q where q.webhook_id = s.id and q.claim is not null) as claimed
     from webhook_subscriptions s where id = $1`,
    [webhookId],
  )
  assert.ok(row)
  return row
}

async function liftPause(webhookId: string): Promise<void> {
  await shared.sql('update webhook_subscriptions set paused_until = now() where id = $1', [webhookId])
  shared.app.deliveries.wake()
  deliveries.wake()
}

/** Both workers have looked for work since: an event elsewhere was recorded after it and has arrived. */
async function letWorkersLook(other: Receiver): Promise<void> {
  for (let looks = 0; looks < 3; looks++) {
    const seen = other.requests.length
    await trigger(shared.demo, 'refund.processed')
    await other.waitForRequests(seen + 1)
  }
}

test('an endpoint that keeps failing is left in peace but for one probe at a time, and gets everything once it is well', async t => {
  const [receiver, other] = [await startReceiver(t), await startReceiver(t)]
  let answer: Behaviour | Promise<Behaviour> = { status: 500 }
  receiver.answer(() => answer)
  const id = await subscribeFor(t, shared.demo, receiver.url)
  await subscribeFor(t, shared.demo, other.url, { event_code: 'refund.processed' })
  const events = await recordMany(shared, { count: 300 })
  await waitFor(async () => {
    const { failures, claimed } = await circuitOf(id)
    return failures >= 10 && claimed === 0
  }, 'the circuit to open')
  // Nine failures may be written without opening it; then each worker has its places out and nine failures to write.
  const opened = receiver.requests.length
  assert.ok(opened >= 10 && opened <= 9 + 2 * (PLACES + 9), `${opened} requests`)
  await letWorkersLook(other)
  assert.equal(receiver.requests.length, opened)

  let pauseS = (await circuitOf(id)).pauseS ?? 0
  assert.ok(pauseS > 0)
  const probe = Promise.withResolvers<Behaviour>()
  answer = probe.promise
  const { failures } = await circuitOf(id)
  await liftPause(id)
  await receiver.waitForRequests(opened + 1)
  await letWorkersLook(other)
  assert.deepEqual([receiver.requests.length, receiver.inFlight], [opened + 1, 1])
  probe.resolve({ status: 500 })
  await waitFor(async () => (await circuitOf(id)).failures === failures + 1, 'the probe to be counted')
  pauseS = (await circuitOf(id)).pauseS ?? 0
  assert.ok(pauseS > 4 && pauseS <= 60, `${pauseS} s`)

  answer = { status: 200 }
  await liftPause(id)
  await waitFor(async () => {
    const ids = new Set(receiver.requests.slice(opened + 1).map(({ headers }) => headers['webhook-id']))
    return ids.size === events.length
  }, 'everything that waited to arrive')
  await waitFor(async () => (await circuitOf(id)).claimed === 0, 'the results to be written')
  const { failures: left, pauseS: paused } = await circuitOf(id)
  assert.deepEqual([left, paused], [0, null])
  assert.equal(receiver.requests.length, opened + 1 + events.length)
})

test('an endpoint that fails now and then is never paused', async t => {
  const receiver = await startReceiver(t)
  receiver.answer((_, n) => ({ status: n % 2 === 0 ? 200 : 500 }))
  const id = await subscribeFor(t, shared.demo, receiver.url)
  const events = await recordMany(shared, { count: 60 })
  const haveAllArrived = async (): Promise<boolean> => {
    const [row] = await shared.sql<{ count: number }>(
      `select count(*) from webhook_deliveries where webhook_id = $1 and state = 'delivered'`,
      [id],
    )
    return row?.count === events.length
  }
  await waitFor(haveAllArrived, 'all to arrive before a pause could end', { limitMs: FIRST_PAUSE_MS })
  assert.ok(receiver.requests.length > 100, 'half of them failed')
})
