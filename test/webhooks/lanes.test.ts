import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Claimed } from '../../src/webhooks/deliver.store.ts'
import { Lanes } from '../../src/webhooks/lanes.ts'

/** The connections have a limit of their own; this is the one that keeps claims from piling up behind them. */
function claimedFor(host: number, subscription: number, id: number): Claimed {
  return {
    instituteId: 1,
    id: `dlv_${id}`,
    claim: 1,
    place: '(0,1)',
    failures: 0,
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

const hostOf = ({ webhook }: Claimed): string => new URL(webhook.url).origin
const inLane = (list: Claimed[], host: string): Claimed[] => list.filter(each => hostOf(each) === host)
const step = fc.oneof(
  fc.record({ host: fc.nat(2), subscription: fc.nat(2) }),
  fc.constant('leave' as const),
  fc.constant('take' as const),
)

test('a lane never runs more than its places, never holds more than four times as many again, and hands out each once in turn', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 80 }), (places, steps) => {
      const lanes = new Lanes(places)
      const running: Claimed[] = []
      let waiting: Claimed[] = []
      for (const [now, each] of steps.entries()) {
        if (each === 'take') {
          assert.deepEqual(
            new Set(lanes.takeWaiting(({ since }) => since < now - 10)),
            new Set(waiting.filter(({ id }) => Number(id.slice(4)) < now - 10)),
          )
          waiting = waiting.filter(({ id }) => Number(id.slice(4)) >= now - 10)
        } else if (each === 'leave') {
          const done = running.shift()
          if (done === undefined) continue
          const [first = null] = inLane(waiting, hostOf(done))
          assert.equal(lanes.leave(done), first)
          if (first === null) continue
          waiting = waiting.filter(other => other !== first)
          running.push(first)
        } else {
          const claimed = claimedFor(each.host, each.subscription, now)
          const host = hostOf(claimed)
          const isFree = inLane(running, host).length < places
          const isFull = !isFree && inLane(waiting, host).length >= 4 * places
          assert.equal(lanes.enter(claimed, now), isFree ? 'starts' : isFull ? 'full' : 'waits')
          if (isFree) running.push(claimed)
          else if (!isFull) waiting.push(claimed)
        }
        assert.deepEqual([lanes.running, lanes.waiting], [running.length, waiting.length])
      }
    }),
  )
})

test('the room told of a busy host is what is left over all its subscriptions, and a full one has none', () => {
  const lanes = new Lanes(2)
  assert.deepEqual(lanes.busy(2), [])
  const first = claimedFor(0, 0, 0)
  lanes.enter(first, 0)
  assert.deepEqual(lanes.busy(4), [{ origin: 'http://host-0.test', room: 3 }])
  for (let id = 1; id <= 4; id++) lanes.enter(claimedFor(0, 1, id), 0)
  assert.deepEqual(lanes.busy(4), [{ origin: 'http://host-0.test', room: 0 }])
})
