import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addWorkingDays, isWorkingDay } from '../../src/platform/calendar.ts'

const NONE: ReadonlySet<string> = new Set()
const EPOCH = Temporal.PlainDate.from('2024-01-01')
const dayAt = (offset: number): string => EPOCH.add({ days: offset }).toString()
const offset = fc.integer({ min: 0, max: 9_000 })
const holidays = fc
  .array(offset, { maxLength: 60 })
  .map(offsets => new Set(offsets.flatMap(start => [dayAt(start), dayAt(start + 1)])))

/** Counted on the calendar itself: which Saturday of its month a day is. */
function isClosed(day: string): boolean {
  const date = Temporal.PlainDate.from(day)
  if (date.dayOfWeek === 7) return true
  if (date.dayOfWeek !== 6) return false
  let saturdays = 0
  for (
    let each = date.with({ day: 1 });
    Temporal.PlainDate.compare(each, date) <= 0;
    each = each.add({ days: 1 })
  )
    if (each.dayOfWeek === 6) saturdays++
  return saturdays === 2 || saturdays === 4
}

test('banks are closed on Sundays, second and fourth Saturdays and holidays, and on no other day', () => {
  fc.assert(
    fc.property(offset, holidays, (start, closed) => {
      const day = dayAt(start)
      assert.equal(isWorkingDay(day, closed), !isClosed(day) && !closed.has(day))
    }),
    { numRuns: 3_000 },
  )
})

test('counting never ends on a day when banks are closed', () => {
  fc.assert(
    fc.property(offset, fc.integer({ min: 1, max: 30 }), holidays, (start, count, closed) => {
      const day = addWorkingDays(dayAt(start), count, closed)
      assert.ok(!isClosed(day) && !closed.has(day), day)
    }),
    { numRuns: 1_000 },
  )
})

test('T+n has exactly n working days after T up to and with it', () => {
  fc.assert(
    fc.property(offset, fc.integer({ min: 0, max: 30 }), holidays, (start, count, closed) => {
      const end = addWorkingDays(dayAt(start), count, closed)
      let passed = 0
      let at = start
      while (dayAt(at) < end) {
        at++
        if (!isClosed(dayAt(at)) && !closed.has(dayAt(at))) passed++
      }
      assert.equal(dayAt(at), end)
      assert.equal(passed, count)
    }),
    { numRuns: 500 },
  )
})

test('counting in two steps ends where counting in one does, and a later start never ends earlier', () => {
  const few = fc.integer({ min: 0, max: 12 })
  fc.assert(
    fc.property(offset, few, few, holidays, (start, first, second, closed) => {
      const inOne = addWorkingDays(dayAt(start), first + second, closed)
      assert.equal(addWorkingDays(addWorkingDays(dayAt(start), first, closed), second, closed), inOne)
      assert.ok(addWorkingDays(dayAt(start + 1), first + second, closed) >= inOne)
    }),
  )
})

test('T+1 over year ends, long weekends and a holiday is the next day that banks are open', () => {
  assert.equal(addWorkingDays('2026-12-31', 1, NONE), '2027-01-01')
  assert.equal(addWorkingDays('2026-12-31', 2, new Set(['2027-01-01'])), '2027-01-04')
  assert.equal(addWorkingDays('2027-12-31', 1, NONE), '2028-01-01', 'a first Saturday is a working day')
  assert.equal(addWorkingDays('2026-11-13', 1, NONE), '2026-11-16', 'over a second Saturday')
  assert.equal(addWorkingDays('2026-11-14', 1, NONE), '2026-11-16', 'from a closed day')
  assert.equal(addWorkingDays('2026-08-14', 1, new Set(['2026-08-15'])), '2026-08-17')
  assert.equal(addWorkingDays('2026-10-30', 1, NONE), '2026-10-31', 'a fifth Saturday is a working day')
})
