import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SESSION_LIMIT_MS, sessionEnd, changeable } from '../../../src/console/console.rules.ts'
import { admitTry, LIMITS, uncount, type Tries } from '../../../src/platform/rate-limits.rules.ts'

const moment = fc.date({ min: new Date('2026-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
const limit = fc.constantFrom(LIMITS.staffAccountAtNetwork.waits, LIMITS.staffNetwork.waits)

test('repeated failures get no more tries than the waits allow', () => {
  fc.assert(
    fc.property(
      limit,
      moment,
      fc.array(fc.integer({ min: 0, max: 120_000 }), { maxLength: 300 }),
      (limits, start, pauses) => {
        let tries: Tries | null = null
        let now = start.getTime()
        let looked = 0
        let waitedMs = 0
        for (const pause of pauses) {
          now += pause
          const admission = admitTry(tries, new Date(now), limits)
          if (admission.kind === 'blocked') continue
          looked += 1
          tries = admission.tries
          const wait = (tries.blockedUntil?.getTime() ?? now) - now
          assert.ok(wait <= limits.longestWaitMs)
          if (looked > limits.free) assert.ok(wait >= waitedMs, 'a wait is never shorter than the one before')
          waitedMs = wait
        }
        const most = limits.free + Math.ceil((now - start.getTime()) / limits.firstWaitMs)
        assert.ok(looked <= most, `${looked} of ${most}`)
      },
    ),
  )
})

test('a try that was no failure leaves everything as it was before', () => {
  fc.assert(
    fc.property(limit, moment, fc.integer({ min: 1, max: 40 }), (limits, at, failures) => {
      let tries: Tries = { failures: failures - 1, lastAt: at, blockedUntil: null }
      const counted = admitTry(tries.failures === 0 ? null : tries, at, limits)
      assert.equal(counted.kind, 'counted')
      if (counted.kind === 'counted') tries = uncount(counted.tries, limits)
      assert.equal(tries.failures, failures - 1)
      assert.equal(tries.blockedUntil === null, failures - 1 < limits.free)
    }),
  )
})

test('no use makes a session last longer than its limit', () => {
  fc.assert(
    fc.property(moment, fc.nat(SESSION_LIMIT_MS * 3), (createdAt, usedForMs) => {
      const lastSeenAt = new Date(createdAt.getTime() + usedForMs)
      assert.ok(sessionEnd({ createdAt, lastSeenAt }).getTime() <= createdAt.getTime() + SESSION_LIMIT_MS)
    }),
  )
})

function isWell(list: readonly { role: string; isDisabled: boolean }[]): boolean {
  return list.some(one => one.role === 'owner' && !one.isDisabled)
}

test('whatever changes, an institute keeps an owner who can sign in', () => {
  const role = fc.constantFrom('owner', 'finance', 'developer', 'viewer' as const)
  const people = fc.array(fc.record({ role, isDisabled: fc.boolean() }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(people, fc.nat(5), fc.option(role), (some, at, after) => {
      const members = some.map((one, no) => ({ ...one, userId: `staff_${no}`, email: `${no}@x.in` }) as const)
      const target = members[at % members.length]
      assert.ok(target)
      if (!isWell(members)) return
      try {
        changeable(members, target.userId, after)
      } catch {
        return
      }
      const left = members.flatMap(one =>
        one !== target ? [one] : after === null ? [] : [{ ...one, role: after }],
      )
      assert.ok(isWell(left))
    }),
  )
})
