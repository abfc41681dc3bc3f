import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ClaimedDelivery } from '../../src/webhooks/engine/queue.store.ts'
import { EndpointQueues } from '../../src/webhooks/engine/endpoint-queues.ts'

/** The connections have a limit of their own; this is the one that keeps claims from piling up behind them. */
function claimedFor(host: number, subscription: number, id: number): ClaimedDelivery {
  return {
    instituteId: 1,
    id: `dlv_${id}`,
    claim: 1,
    place: '(0,1)',
    failures: 0,
    traceParent: null,
    eventId: `evt_${id}`,
    eventCode: 'x',
    timestamp: 0,
    sequence: 1,
    payloadJson: '{}',
    webhook: {
      id: `wh_${host}_${subscription}`,
      url: `http://host-${host}.test/path-${subscription}`,
      origin: `http://host-${host}.test`,
      isDisabled: false,
      isPaused: false,
      secretSealed: null,
      previousSecretSealed: null,
      headerKey: null,
      headerValueSealed: null,
    },
  }
}

const hostOf = ({ webhook }: ClaimedDelivery): string => new URL(webhook.url).origin
const inLane = (list: ClaimedDelivery[], host: string): ClaimedDelivery[] =>
  list.filter(each => hostOf(each) === host)
const step = fc.oneof(
  fc.record({ host: fc.nat(2), subscription: fc.nat(2) }),
  fc.constant('leave' as const),
  fc.constant('take' as const),
)

test('a queue never runs more than its places, never holds more than four times as many again, and hands out each once in turn', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 80 }), (places, steps) => {
      const queues = new EndpointQueues(places)
      const running: ClaimedDelivery[] = []
      let waiting: ClaimedDelivery[] = []
      for (const [now, each] of steps.entries()) {
        if (each === 'take') {
          assert.deepEqual(
            new Set(queues.takeWaiting(({ since }) => since < now - 10)),
            new Set(waiting.filter(({ id }) => Number(id.slice(4)) < now - 10)),
          )
          waiting = waiting.filter(({ id }) => Number(id.slice(4)) >= now - 10)
        } else if (each === 'leave') {
          const done = running.shift()
          if (done === undefined) continue
          const [first = null] = inLane(waiting, hostOf(done))
          queues.leave(done, null)
          assert.equal(queues.next(hostOf(done)), first)
          if (first === null) continue
          waiting = waiting.filter(other => other !== first)
          running.push(first)
        } else {
          const claimed = claimedFor(each.host, each.subscription, now)
          const host = hostOf(claimed)
          const isFree = inLane(running, host).length < places
          const isFull = !isFree && inLane(waiting, host).length >= 4 * places
          assert.equal(queues.enter(claimed, now), isFree ? 'starts' : isFull ? 'full' : 'waits')
          if (isFree) running.push(claimed)
          else if (!isFull) waiting.push(claimed)
        }
        assert.deepEqual([queues.running, queues.waiting], [running.length, waiting.length])
      }
    }),
  )
})

test('the room reported for a busy host is what is left over all its subscriptions, and a full one has none', () => {
  const queues = new EndpointQueues(2)
  assert.deepEqual(queues.busy(2), [])
  const first = claimedFor(0, 0, 0)
  queues.enter(first, 0)
  assert.deepEqual(queues.busy(4), [{ origin: 'http://host-0.test', room: 3 }])
  for (let id = 1; id <= 4; id++) queues.enter(claimedFor(0, 1, id), 0)
  assert.deepEqual(queues.busy(4), [{ origin: 'http://host-0.test', room: 0 }])
})

/** As many as find a place when `total` come, the rest waiting. */
function fill(queues: EndpointQueues, total: number): ClaimedDelivery[] {
  const all = Array.from({ length: total }, (_, id) => claimedFor(0, 0, id))
  return all.filter(claimed => queues.enter(claimed, 0) === 'starts')
}

/** The oldest of the running ones leave, one after the other, and those that may take their slots. */
function turn(
  queues: EndpointQueues,
  running: ClaimedDelivery[],
  answerMs: number | null,
  times: number,
): void {
  for (let n = 0; n < times; n++) {
    const done = running.shift()
    assert(done !== undefined)
    queues.leave(done, answerMs)
    for (let next = queues.next(hostOf(done)); next !== null; next = queues.next(hostOf(done)))
      running.push(next)
  }
}

test('an endpoint that answers quickly is sent 20 at once, a slow one what it takes for 250 a second, at most its places', () => {
  for (const [answerMs, places] of [
    [3, 20],
    [120, 30],
    [900, 50],
  ] as const) {
    const queues = new EndpointQueues(50)
    const running = fill(queues, 200)
    assert.equal(running.length, 20)
    turn(queues, running, answerMs, 100)
    assert.equal(running.length, places)
  }
})

test('an endpoint that becomes quick again goes back to few at once', () => {
  const queues = new EndpointQueues(50)
  const running = fill(queues, 200)
  turn(queues, running, 900, 50)
  assert.equal(running.length, 50)
  turn(queues, running, 3, 60)
  assert.equal(running.length, 20)
})

test('an endpoint that does not answer gets no more places', () => {
  const queues = new EndpointQueues(50)
  const running = fill(queues, 200)
  turn(queues, running, null, 50)
  assert.equal(running.length, 20)
})

test('a queue is low once half of its stock is gone, until more is on its way', () => {
  const queues = new EndpointQueues(2)
  const running = fill(queues, 8)
  const [{ webhook } = claimedFor(0, 0, 0)] = running
  queues.setStock()
  turn(queues, running, null, 3)
  assert.equal(queues.isLow(webhook.origin), false)
  turn(queues, running, null, 1)
  assert.equal(queues.isLow(webhook.origin), true)
  queues.clearStock()
  assert.equal(queues.isLow(webhook.origin), false)
  assert.equal(queues.isDry(webhook.origin), false)
  turn(queues, running, null, 2)
  assert.equal(queues.isDry(webhook.origin), true)
})

test('an endpoint is crowded while something waits for it, and with more in the database it is low when nothing does', () => {
  const queues = new EndpointQueues(1)
  const [first, second, third] = [1, 2, 3].map(id => claimedFor(0, 0, id))
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  const origin = hostOf(first)
  assert.equal(queues.enter(first, 0), 'starts')
  assert.deepEqual([queues.crowded(), queues.expectMore(origin)], [[], false])
  for (const one of [second, third]) assert.equal(queues.enter(one, 0), 'waits')
  assert.deepEqual([queues.crowded(), queues.isLow(origin)], [[origin], false])
  assert.equal(queues.expectMore(origin), true)
  queues.leave(first, null)
  assert.equal(queues.next(origin), second)
  assert.equal(queues.isLow(origin), false)
  queues.leave(second, null)
  assert.equal(queues.next(origin), third)
  assert.deepEqual([queues.crowded(), queues.isLow(origin)], [[], true])
})
