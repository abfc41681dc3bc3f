import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  recordDifferences,
  scheduleDifferences,
  type ErpRecord,
  type ScheduleRow,
} from '../../src/erp/erp.rules.ts'
import { paiseOf, type Paise } from '../../src/platform/money.ts'

const TODAY = '2026-11-15'
const paise = fc.integer({ min: 1, max: 10_000 }).map(paiseOf)
const type = fc.constantFrom('TUITION', 'BUS')
const row: fc.Arbitrary<ScheduleRow> = fc.record({
  dueDate: fc.constantFrom('2026-11-01', '2026-11-15', '2026-12-05', '2027-01-05'),
  referenceId: fc.constant(null),
  identifier: fc.constant(null),
  isDownpayment: fc.boolean(),
  details: fc.array(fc.record({ componentType: type, amountPaise: paise }), { minLength: 1, maxLength: 3 }),
})
const rows = fc.array(row, { maxLength: 6 })
const owed = fc.dictionary(type, paise).map(amounts => new Map<string, Paise>(Object.entries(amounts)))

function taken(schedule: readonly ScheduleRow[], component: string): number {
  const counted = schedule.filter(one => one.isDownpayment || one.dueDate >= TODAY)
  const lines = counted.flatMap(one => one.details).filter(line => line.componentType === component)
  return lines.reduce((sum, line) => sum + line.amountPaise, 0)
}

test('amounts are called above what is owed, or to leave some open, exactly when they are', () => {
  fc.assert(
    fc.property(rows, owed, (schedule, amounts) => {
      const problems = scheduleDifferences(schedule, amounts, TODAY)
      for (const component of ['TUITION', 'BUS']) {
        const about = (end: RegExp): boolean =>
          problems.some(({ message }) => message.includes(component) && end.test(message))
        const due = amounts.get(component) ?? 0
        assert.equal(about(/more of/), taken(schedule, component) > due)
        assert.equal(about(/open/), taken(schedule, component) < due)
      }
    }),
  )
})

test('every row in the past and every second row of a day is named by its place', () => {
  fc.assert(
    fc.property(rows, owed, (schedule, amounts) => {
      const named = scheduleDifferences(schedule, amounts, TODAY).filter(({ key }) =>
        key.endsWith('due_date'),
      )
      const debits = schedule.filter(one => !one.isDownpayment)
      const past = debits.filter(one => one.dueDate < TODAY)
      const days = debits.filter(one => one.dueDate >= TODAY).map(one => one.dueDate)
      assert.equal(named.length, past.length + days.length - new Set(days).size)
      assert.equal(new Set(named.map(({ key }) => key)).size, named.length)
    }),
  )
})

test('an unknown branch and an answer without fees for a student who has some are named', () => {
  const record = { collectorCode: 'EAST', fees: [], paymentSchedule: null } as unknown as ErpRecord
  const branches = [{ collectorCode: 'NORTH' }, { collectorCode: 'SOUTH' }]
  const student = { hasFees: true, paid: new Map() }
  const known = { branches, student, isCustomSchedule: false, today: TODAY }
  const keys = recordDifferences(record, known).map(({ key }) => key)
  assert.deepEqual(keys, ['data.student.collector_code', 'data.fee_components'])
  const fine = { ...known, branches: branches.slice(1), student: null }
  assert.deepEqual(recordDifferences(record, fine), [])
})
