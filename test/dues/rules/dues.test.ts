import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { allocate } from '../../../src/dues/allocation.rules.ts'
import {
  ruleProblems,
  accruedOn,
  ALLOCATIONS,
  excessOf,
  isCovered,
  LATE_FEE,
  lateFeesOn,
  payable,
  stillAsked,
  withoutTaken,
  timingOf,
  type LateFee,
  type LateFeeRule,
  type OwedLine,
} from '../../../src/dues/dues.rules.ts'
import { daysBetween } from '../../../src/platform/calendar.ts'
import { paiseOf, sumPaise, ZERO } from '../../../src/platform/money.ts'

const paise = fc.integer({ min: 0, max: 5_000_000 }).map(paiseOf)
const some = fc.integer({ min: 1, max: 100_000 }).map(paiseOf)
const day = fc
  .date({ min: new Date('2026-04-01'), max: new Date('2027-03-31'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10))
const type = fc.constantFrom('TUITION', 'BUS', 'LAB', 'HOSTEL')

const charge: fc.Arbitrary<LateFeeRule['charge']> = fc.oneof(
  fc.constant({ kind: 'none' as const }),
  some.map(amountPaise => ({ kind: 'per_day' as const, amountPaise })),
  fc
    .tuple(fc.integer({ min: 1, max: 20 }), some, fc.integer({ min: 1, max: 30 }), some)
    .map(([from, first, later, more]) => ({
      kind: 'slab' as const,
      slabs: [
        { fromDay: from, amountPaise: first },
        { fromDay: from + later, amountPaise: paiseOf(first + more) },
      ],
    })),
)
const rule: fc.Arbitrary<LateFeeRule> = fc.record({
  id: fc.uuid(),
  componentType: fc.option(type),
  dueOn: day,
  graceDays: fc.nat(15),
  charge,
  capPaise: fc.option(some),
})
const rules = fc.uniqueArray(rule, { selector: one => one.componentType, maxLength: 4 })
const lines: fc.Arbitrary<OwedLine[]> = fc.uniqueArray(
  fc.record({ componentType: type, owedPaise: paise, dueOn: fc.option(day) }),
  { selector: line => line.componentType },
)

test('a late fee costs nothing up to its grace, never falls from day to day, and stays under its cap', () => {
  fc.assert(
    fc.property(rule, day, day, (one, early, late) => {
      const [first, second] = [early, late].sort() as [string, string]
      const before = accruedOn(one, first)
      assert.ok(before <= accruedOn(one, second))
      if (one.capPaise !== null) assert.ok(accruedOn(one, second) <= one.capPaise)
      if (daysBetween(one.dueOn, first) <= one.graceDays) assert.equal(before, 0)
    }),
  )
})

test('a late fee is asked for only while something of its component is owed, and never again once paid or let off', () => {
  fc.assert(
    fc.property(rules, lines, day, (all, owed, today) => {
      const due = owed.map(line => ({ componentType: line.componentType, amountPaise: line.owedPaise }))
      const asked = lateFeesOn(today, due, all, new Map())
      for (const fee of asked) {
        const own = all.find(one => one.id === fee.ruleId)
        const named = all.map(one => one.componentType)
        const covers = due.some(
          line =>
            line.amountPaise > 0 &&
            (own?.componentType === line.componentType ||
              (own?.componentType === null && !named.includes(line.componentType))),
        )
        assert.ok(covers, 'something that the rule is for is owed')
      }
      const paid = new Map(
        asked.map(fee => [fee.ruleId, { chargedPaise: fee.amountPaise, waivedPaise: ZERO }]),
      )
      assert.deepEqual(lateFeesOn(today, due, all, paid), [])
    }),
  )
})

const lateFee: fc.Arbitrary<LateFee> = fc.record({
  ruleId: fc.uuid(),
  componentType: fc.option(type),
  dueOn: day,
  daysLate: fc.integer({ min: 1, max: 90 }),
  amountPaise: some,
  waivedPaise: fc.constant(ZERO),
})

test('a payment is spread to the paisa, late fees first, and no line takes more than is owed of it', () => {
  const due = fc.record({ lateFees: fc.array(lateFee, { maxLength: 3 }), lines })
  fc.assert(
    fc.property(
      due,
      fc.constantFrom(...ALLOCATIONS),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (owed, by, part) => {
        const late = sumPaise(owed.lateFees.map(fee => fee.amountPaise))
        const total = paiseOf(late + sumPaise(owed.lines.map(line => line.owedPaise)))
        const amount = paiseOf(Math.floor(total * part))
        const share = allocate(amount, owed, by)
        const ofLate = sumPaise(share.lateFees.map(one => one.amountPaise))
        const ofLines = sumPaise(share.lines.map(one => one.amountPaise))
        assert.equal(ofLate + ofLines, amount)
        assert.equal(ofLate, Math.min(late, amount))
        for (const line of share.lines) {
          const { owedPaise } = owed.lines.find(one => one.componentType === line.componentType) ?? {
            owedPaise: 0,
          }
          assert.ok(line.amountPaise > 0 && line.amountPaise <= owedPaise)
        }
      },
    ),
  )
})

test('the oldest due is filled first, and what has no due day last', () => {
  const owed: OwedLine[] = [
    { componentType: 'A', owedPaise: paiseOf(100), dueOn: null },
    { componentType: 'B', owedPaise: paiseOf(100), dueOn: '2026-12-10' },
    { componentType: 'C', owedPaise: paiseOf(100), dueOn: '2026-06-10' },
  ]
  const taken = allocate(paiseOf(150), { lateFees: [], lines: owed }, 'oldest_due').lines
  assert.deepEqual(taken, [
    { componentType: 'C', amountPaise: 100 },
    { componentType: 'B', amountPaise: 50 },
  ])
})

test('what an earlier year left is filled before anything of this one, whatever its due day', () => {
  const owed: OwedLine[] = [
    { componentType: 'A', owedPaise: paiseOf(100), dueOn: '2026-06-10' },
    { componentType: 'OLD', owedPaise: paiseOf(100), dueOn: null, isCarried: true },
  ]
  const taken = allocate(paiseOf(150), { lateFees: [], lines: owed }, 'oldest_due').lines
  assert.deepEqual(
    taken.map(line => line.componentType),
    ['OLD', 'A'],
  )
})

test('what may be paid is all of it, or a part within the rules', () => {
  const part = { isAllowed: true, leastPaise: paiseOf(500) }
  assert.equal(payable(null, paiseOf(10_000), part), 10_000)
  assert.equal(payable(paiseOf(500), paiseOf(10_000), part), 500)
  assert.equal(payable(paiseOf(300), paiseOf(300), part), 300)
  assert.throws(() => payable(paiseOf(499), paiseOf(10_000), part), /at least ₹5/)
  assert.throws(() => payable(paiseOf(10_001), paiseOf(10_000), part), /more than the ₹100/)
  assert.throws(() => payable(null, ZERO, part), /nothing is due/)
  assert.throws(() => payable(paiseOf(500), paiseOf(10_000), { ...part, isAllowed: false }), /whole/)
})

test('what a payment brings beyond the price is its excess, never more than it brought', () => {
  fc.assert(
    fc.property(paise, paise, some, (price, paidBefore, brought) => {
      const excess = excessOf(
        [{ componentType: 'TUITION', amountPaise: brought }],
        new Map([['TUITION', price]]),
        new Map([['TUITION', paiseOf(paidBefore + brought)]]),
      )
      const wanted = Math.min(Math.max(paidBefore + brought - price, 0), brought)
      assert.equal(sumPaise(excess.map(line => line.amountPaise)), wanted)
      assert.equal(excess.length, wanted === 0 ? 0 : 1)
    }),
  )
})

const dues = fc
  .record({
    lines: fc.uniqueArray(
      fc.record({
        componentType: fc.constantFrom('TUITION', 'BUS', LATE_FEE),
        owedPaise: paise,
        dueOn: fc.constant(null),
      }),
      { selector: line => line.componentType },
    ),
    lateFees: fc.uniqueArray(lateFee, { selector: fee => fee.ruleId, maxLength: 3 }),
  })
  .map(due => {
    const owedPaise = sumPaise(due.lines.map(line => line.owedPaise))
    const lateFeePaise = sumPaise(due.lateFees.map(fee => fee.amountPaise))
    return { ...due, owedPaise, lateFeePaise, totalPaise: paiseOf(owedPaise + lateFeePaise) }
  })

/** An order for a part of it. */
function orderFor(due: Parameters<typeof isCovered>[1], part: number) {
  const share = allocate(paiseOf(Math.floor(due.totalPaise * part)), due, 'as_registered')
  const late = sumPaise(share.lateFees.map(fee => fee.amountPaise))
  const lines = late > 0 ? [...share.lines, { componentType: LATE_FEE, amountPaise: late }] : share.lines
  return { lateFees: share.lateFees, lines, amount: sumPaise(lines.map(line => line.amountPaise)) }
}

test('what a payment on its way takes, late fee or fee, is not asked for again', () => {
  fc.assert(
    fc.property(dues, fc.double({ min: 0, max: 1, noNaN: true }), (due, part) => {
      const first = orderFor(due, part)
      assert.ok(isCovered(first, due))
      const left = withoutTaken(due, [{ ...first, amountPaise: first.amount }])
      assert.equal(left.totalPaise, due.totalPaise - first.amount)
      assert.equal(left.totalPaise, left.owedPaise + left.lateFeePaise)
      assert.ok(isCovered(orderFor(left, 1), left))
      const isAsMuch = first.amount > left.totalPaise
      if (isAsMuch) assert.equal(isCovered(first, left), false)
      assert.equal(withoutTaken(due, []).totalPaise, due.totalPaise)
    }),
  )
})

test('what a debit at the bank takes is planned no longer, so that what no plan takes can be paid meanwhile', () => {
  const [fee, planned, debit] = [paiseOf(150_000), paiseOf(100_000), paiseOf(50_000)]
  const line = { componentType: 'TUITION', owedPaise: fee, plannedPaise: planned, dueOn: null }
  const due = { lines: [line], lateFees: [], owedPaise: fee, lateFeePaise: ZERO, totalPaise: fee }
  const lines = [{ componentType: 'TUITION', amountPaise: debit }]
  const [left] = withoutTaken(due, [{ orderKind: 'instalment', amountPaise: debit, lines }]).lines
  assert.deepEqual([left?.owedPaise, left?.plannedPaise], [100_000, 50_000])
  const [beside] = withoutTaken(due, [{ orderKind: 'student', amountPaise: debit, lines }]).lines
  assert.deepEqual([beside?.owedPaise, beside?.plannedPaise], [100_000, 100_000])
})

test('overdue, due next and in instalments never exceed what is owed, and what a plan takes is never overdue', () => {
  const day = fc.constantFrom(null, '2026-11-01', '2026-11-17', '2026-12-01')
  const line = fc.record({ componentType: fc.string(), owedPaise: paise, plannedPaise: paise, dueOn: day })
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), lines => {
      const { overduePaise, nextDue, plannedPaise } = timingOf({ today: '2026-11-17', lines, lateFees: [] })
      const owed = sumPaise(lines.map(one => one.owedPaise))
      assert.ok(overduePaise + (nextDue?.amountPaise ?? 0) + plannedPaise <= owed)
      assert.ok(nextDue === null || (nextDue.on >= '2026-11-17' && nextDue.amountPaise > 0))
      const taken = lines.map(one => ({ ...one, plannedPaise: one.owedPaise }))
      assert.equal(timingOf({ today: '2026-11-17', lines: taken, lateFees: [] }).overduePaise, 0)
    }),
  )
})

test('of an agreed late fee no more is charged than is still asked for', () => {
  fc.assert(
    fc.property(dues, fc.array(some, { maxLength: 3 }), (due, amounts) => {
      const agreed = amounts.map((amountPaise, no) => ({
        ruleId: due.lateFees[no]?.ruleId ?? 'gone',
        amountPaise,
      }))
      const charged = stillAsked(agreed, due.lateFees)
      for (const { ruleId, amountPaise } of charged) {
        const asked = due.lateFees.find(fee => fee.ruleId === ruleId)?.amountPaise ?? ZERO
        const wanted = agreed.find(fee => fee.ruleId === ruleId)?.amountPaise ?? ZERO
        assert.equal(amountPaise, Math.min(asked, wanted))
      }
      assert.ok(charged.every(({ ruleId }) => ruleId !== 'gone'))
    }),
  )
})

test('rules that contradict themselves are named by field', () => {
  const base = { dueOn: '2026-12-10', graceDays: 0, capPaise: null }
  const slabs = [
    { fromDay: 5, amountPaise: paiseOf(200) },
    { fromDay: 5, amountPaise: paiseOf(300) },
  ]
  const problems = ruleProblems(
    [
      { ...base, componentType: null, charge: { kind: 'none' } },
      { ...base, componentType: null, charge: { kind: 'slab', slabs } },
      { ...base, componentType: 'BUS', charge: { kind: 'slab', slabs: [] } },
    ],
    'late_fees',
  )
  assert.deepEqual(
    problems.map(problem => problem.key),
    ['late_fees.1.component_type', 'late_fees.1.slabs.1', 'late_fees.2.slabs'],
  )
})
