import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { siftUnknown } from '../../src/banking/statements/same-movement.rules.ts'
import { paiseOf } from '../../src/platform/money.ts'
import { runAtOnce } from '../harness/steps.ts'

const siftLines = <Line extends Parameters<typeof siftUnknown>[0][number]>(
  own: readonly Line[],
  others: readonly Line[],
) => runAtOnce(siftUnknown(own, others))

test('of each day and amount as many lines are new as the other format did not bring, whatever they say', () => {
  const line = fc.record({
    day: fc.constantFrom('2026-11-01', '2026-11-02'),
    amountPaise: fc.constantFrom(100, 200).map(paiseOf),
    text: fc.constantFrom('UPI', 'UPI 600123', 'NEFT AXIS0099', ''),
    reference: fc.constantFrom(null, '600123', 'AXIS0099', 'OTHER7777'),
    balancePaise: fc.constant(null),
  })
  fc.assert(
    fc.property(fc.array(line), fc.array(line), (own, others) => {
      const { fresh, same, doubtful } = siftLines(own, others)
      assert.deepEqual(new Set([...fresh, ...same, ...doubtful]), new Set(own))
      assert.equal(fresh.length + same.length + doubtful.length, own.length)
      for (const day of ['2026-11-01', '2026-11-02'])
        for (const amount of [100, 200]) {
          const count = (all: readonly { day: string; amountPaise: number }[]): number =>
            all.filter(one => one.day === day && one.amountPaise === amount).length
          assert.equal(count(fresh), Math.max(count(own) - count(others), 0))
        }
      assert.deepEqual(siftLines(own, own).fresh, [])
      assert.deepEqual(siftLines(own, []).fresh.length, own.length)
    }),
  )
})

const booking = (text: string, amount: number) => ({
  day: '2026-11-10',
  amountPaise: paiseOf(amount),
  text,
  reference: null,
  balancePaise: null,
})

test('numbers that stand in bookings of several days or amounts, and days, are no references', () => {
  const account = 'A/C 50100123456'
  const others = [booking(`${account} UTR900111222 10112026`, 500), booking(`${account} UTR900333444`, 700)]
  const own = [booking(`${account} REF800555666 10112026`, 500), booking(`${account} REF800777888`, 900)]
  const { fresh, same, doubtful } = siftLines(own, others)
  assert.deepEqual([fresh.length, same.length, doubtful.length], [1, 0, 1])
  const many = (prefix: string) =>
    Array.from({ length: 20_000 }, (_, no) => booking(`${prefix} ${100_000 + no}`, 500))
  const began = process.cpuUsage()
  assert.equal(siftLines(many('UPI'), many('NEFT')).same.length, 20_000)
  assert.ok(process.cpuUsage(began).user < 5_000_000, 'a file of one amount is compared in a moment')
})
