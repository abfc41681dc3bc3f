import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchRows } from '../../../src/flex/rules/erp-schedule.rules.ts'
import type { ScheduleRow } from '../../../src/flex/rules/schedule.rules.ts'

type Names = { reference?: string; identifier?: string; day?: string }

function row({ reference, identifier, day = '2027-01-05' }: Names): ScheduleRow {
  const names = { referenceId: reference ?? null, identifier: identifier ?? null }
  return { ...names, dueOn: day, isDownpayment: false, lines: [] }
}

function known(id: string, { reference, identifier, day = '2027-01-05' }: Names) {
  return { id, dueOn: day, referenceId: reference ?? null, identifier: identifier ?? null }
}

function matched(instalments: ReturnType<typeof known>[], rows: ScheduleRow[]): (string | undefined)[] {
  const matches = matchRows(instalments, rows)
  return rows.map(one => matches.get(one)?.id)
}

test('a row is known by its reference, else its identifier, else its due date', () => {
  const instalments = [
    known('a', { reference: 'R', day: '2027-02-05' }),
    known('b', { identifier: 'I', day: '2027-03-05' }),
    known('c', { day: '2027-04-05' }),
  ]
  const rows = [
    row({ day: '2027-04-05' }),
    row({ identifier: 'I' }),
    row({ reference: 'R', identifier: 'X' }),
  ]
  assert.deepEqual(matched(instalments, rows), ['c', 'b', 'a'])
})

test('a row that has got a reference since is found by its due date', () => {
  assert.deepEqual(matched([known('a', {})], [row({ reference: 'R' })]), ['a'])
})

test('a row with another reference is another one, whatever its day', () => {
  assert.deepEqual(matched([known('a', { reference: 'R' })], [row({ reference: 'S' })]), [undefined])
})

test('each instalment is spoken of once, and by the row that names it best', () => {
  const rows = [row({}), row({ reference: 'R', day: '2027-05-05' })]
  assert.deepEqual(matched([known('a', { reference: 'R' })], rows), [undefined, 'a'])
})
