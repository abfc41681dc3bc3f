import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { paiseOf, sumPaise, type Paise } from '../../../src/platform/money.ts'
import { sumLines, totalsOf, type Line } from '../../../src/flex/rules/plan.rules.ts'
import {
  equalMonthly,
  formProblems,
  splitEqually,
  sumProblems,
  type DefaultPlan,
  type ScheduleRow,
  lengthOf,
  lengthForFamily,
  offeredLengths,
} from '../../../src/flex/rules/schedule.rules.ts'

const COMPONENTS = ['TUITION', 'TRANSPORT', 'HOSTEL', 'LAB']
const EPOCH = Temporal.PlainDate.from('2026-01-01')
const dayAt = (offset: number): string => EPOCH.add({ days: offset }).toString()
const TODAY = dayAt(0)

const paise = fc
  .oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 10_000_000_00 }))
  .map(paiseOf)
const componentType = fc.constantFrom(...COMPONENTS)
const line: fc.Arbitrary<Line> = fc.record({ componentType, amountPaise: paise })
const lines = fc.uniqueArray(line, { selector: one => one.componentType, maxLength: 4 })
const plan: fc.Arbitrary<DefaultPlan> = fc.record({
  instalments: fc.integer({ min: 1, max: 36 }),
  dayOfMonth: fc.integer({ min: 1, max: 31 }),
  downpaymentPercent: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100 })),
  offered: fc.array(fc.integer({ min: 1, max: 36 }), { maxLength: 6 }),
})
const day = fc.integer({ min: 0, max: 1_500 }).map(dayAt)

/** What is left of a component once the down payment is taken. */
function restOf({ amountPaise }: Line, { downpaymentPercent }: DefaultPlan): number {
  return amountPaise - Math.floor((amountPaise * downpaymentPercent) / 100)
}

function amountOf(row: { lines: readonly Line[] }, type: string): Paise {
  return totalsOf(row.lines).get(type) ?? paiseOf(0)
}

test('a default plan takes exactly what is owed, of each component and in all', () => {
  fc.assert(
    fc.property(lines, plan, day, (owed, how, from) => {
      const all = equalMonthly(owed, how, from, TODAY).flatMap(row => row.lines)
      for (const { componentType: type, amountPaise } of owed)
        assert.equal(totalsOf(all).get(type) ?? 0, amountPaise)
      assert.equal(sumLines(all), sumLines(owed))
      assert.ok(all.every(one => one.amountPaise > 0))
    }),
  )
})

test('a default plan has as many instalments as configured, and a down payment today when one is asked', () => {
  fc.assert(
    fc.property(lines, plan, day, (owed, how, from) => {
      const rows = equalMonthly(owed, how, from, TODAY)
      const isEnough = owed.some(one => restOf(one, how) >= how.instalments)
      const later = rows.filter(row => !row.isDownpayment)
      if (isEnough) assert.equal(later.length, how.instalments)
      assert.ok(later.length <= how.instalments)
      const down = owed.reduce((sum, one) => sum + one.amountPaise - restOf(one, how), 0)
      assert.deepEqual(
        rows.filter(row => row.isDownpayment).map(row => [row.dueOn, sumLines(row.lines)]),
        down > 0 ? [[TODAY, down]] : [],
      )
    }),
  )
})

test('all instalments of a component are equal, what is left over stands on the last', () => {
  fc.assert(
    fc.property(lines, plan, day, (owed, how, from) => {
      const rows = equalMonthly(owed, how, from, TODAY).filter(row => !row.isDownpayment)
      for (const one of owed) {
        const amounts = rows.map(row => amountOf(row, one.componentType))
        const last = amounts.pop() ?? 0
        const part = Math.floor(restOf(one, how) / how.instalments)
        for (const amount of amounts) assert.equal(amount, part)
        assert.equal(last, restOf(one, how) - part * (how.instalments - 1))
        assert.ok(last - part < how.instalments)
      }
    }),
  )
  fc.assert(
    fc.property(paise, fc.integer({ min: 1, max: 60 }), (amount, count) => {
      const parts = splitEqually(amount, count)
      assert.deepEqual([parts.length, sumPaise(parts)], [count, amount])
    }),
  )
})

/** Found by walking the calendar: the days that are the configured one, or the month's last where it has no such day. */
function daysOfMonth(from: string, { dayOfMonth, instalments }: DefaultPlan): string[] {
  const days: string[] = []
  for (let at = Temporal.PlainDate.from(from); days.length < instalments; at = at.add({ days: 1 }))
    if (at.day === Math.min(dayOfMonth, at.daysInMonth)) days.push(at.toString())
  return days
}

test('due days are the configured day of each month, or its last, and never before the first possible', () => {
  const amount = paiseOf(1_000_00)
  fc.assert(
    fc.property(plan, day, (how, from) => {
      const owed = [{ componentType: 'TUITION', amountPaise: amount }]
      const rows = equalMonthly(owed, { ...how, downpaymentPercent: 0 }, from, TODAY)
      assert.deepEqual(
        rows.map(row => row.dueOn),
        daysOfMonth(from, how),
      )
      assert.ok(rows.every(row => row.dueOn >= from))
    }),
  )
})

test('a default plan is one that could be sent', () => {
  fc.assert(
    fc.property(lines, plan, day, (owed, how, from) => {
      fc.pre(how.downpaymentPercent <= 90 && owed.some(({ amountPaise }) => amountPaise > 0))
      const rows = equalMonthly(owed, how, from, TODAY)
      assert.deepEqual(
        [
          ...formProblems(rows, { today: TODAY, path: 'payment_schedule' }),
          ...sumProblems(rows, owed, 'payment_schedule'),
        ],
        [],
      )
    }),
  )
})

const rowOn = (dueOn: string, taken: Line[], isDownpayment = false): ScheduleRow => {
  return { dueOn, isDownpayment, referenceId: null, identifier: null, lines: taken }
}
const sentRows = fc
  .uniqueArray(fc.record({ offset: fc.integer({ min: 0, max: 400 }), lines }), {
    selector: row => row.offset,
    maxLength: 12,
  })
  .map(rows => rows.map(row => rowOn(dayAt(row.offset), row.lines)))

test('a schedule is accepted exactly when it takes what is owed, of each component', () => {
  const changes = fc.dictionary(componentType, fc.integer({ min: -3, max: 3 }))
  fc.assert(
    fc.property(sentRows, changes, fc.boolean(), (rows, change, areZerosNamed) => {
      const planned = totalsOf(rows.flatMap(row => row.lines))
      const owed = COMPONENTS.map(type => {
        const amount = (planned.get(type) ?? 0) + (change[type] ?? 0)
        return { componentType: type, amountPaise: paiseOf(Math.max(0, amount)) }
      }).filter(one => areZerosNamed || one.amountPaise > 0)
      const isExact = COMPONENTS.every(type => (planned.get(type) ?? 0) === (totalsOf(owed).get(type) ?? 0))
      const problems = sumProblems(rows, owed, 'payment_schedule')
      assert.equal(problems.length === 0, isExact)
    }),
    { numRuns: 500 },
  )
})

test('no instalment lies in the past or on the day of another, and there is one down payment at most', () => {
  const some = [{ componentType: 'TUITION', amountPaise: paiseOf(100) }]
  const check = (...rows: ScheduleRow[]) => {
    return formProblems(rows, { today: dayAt(10), path: 'schedule' }).map(problem => problem.key)
  }
  assert.deepEqual(check(rowOn(dayAt(10), some), rowOn(dayAt(11), some)), [])
  assert.deepEqual(check(rowOn(dayAt(9), some), rowOn(dayAt(11), some)), ['schedule.0.due_date'])
  assert.deepEqual(check(rowOn(dayAt(11), some), rowOn(dayAt(11), some)), ['schedule.1.due_date'])
  assert.deepEqual(check(rowOn(dayAt(9), some, true), rowOn(dayAt(10), some)), [])
  assert.deepEqual(check(rowOn(dayAt(10), some, true), rowOn(dayAt(10), some, true)), [
    'schedule',
    'schedule',
  ])
})

test('a parent chooses among the lengths that the institute offers and that end inside the academic year', () => {
  const owed = [{ componentType: 'TUITION', amountPaise: paiseOf(1_000_000) }]
  const year = { academicYearStart: 2026, academicYearEnd: 2027 }
  fc.assert(
    fc.property(plan, day, (offering, from) => {
      const offered = offeredLengths({ ...offering, downpaymentPercent: 0 }, year, from)
      const all = offering.offered.length === 0 ? [] : [offering.instalments, ...offering.offered]
      for (const instalments of new Set(all)) {
        const rows = equalMonthly(owed, { ...offering, downpaymentPercent: 0, instalments }, from, from)
        const isInside = (rows.at(-1)?.dueOn ?? '') <= '2027-03-31'
        assert.equal(offered.includes(instalments), isInside)
      }
      assert.ok(offered.every((count, index) => all.includes(count) && count > (offered[index - 1] ?? 0)))
      const length = lengthOf({ ...offering, downpaymentPercent: 0 }, year, from)
      if (offered.length === 0) assert.equal(length, offering.instalments)
      else assert.ok(offered.includes(length))
      // What a family asks for itself ends inside the year as long as something of it is left, and is never longer.
      const asked = lengthForFamily({ ...offering, downpaymentPercent: 0 }, year, from)
      const rowsOf = (instalments: number) =>
        equalMonthly(owed, { ...offering, downpaymentPercent: 0, instalments }, from, from)
      if (offering.offered.length > 0) return assert.equal(asked, length)
      const isYearOver = (rowsOf(1)[0]?.dueOn ?? '') > '2027-03-31'
      if (isYearOver) return assert.equal(asked, offering.instalments)
      assert.ok((rowsOf(asked).at(-1)?.dueOn ?? '') <= '2027-03-31')
      assert.ok(asked === offering.instalments || (rowsOf(asked + 1).at(-1)?.dueOn ?? '') > '2027-03-31')
    }),
    { numRuns: 500 },
  )
})
