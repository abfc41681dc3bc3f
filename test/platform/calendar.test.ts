import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  dayAfter,
  formatMoment,
  lastMoment,
  parseDay,
  parseMoment,
  startOfDay,
} from '../../src/platform/calendar.ts'

test('a date-time without an offset is Indian time, with one it is what it says', () => {
  assert.equal(parseMoment('2026-11-15T09:30:00')?.toISOString(), '2026-11-15T04:00:00.000Z')
  assert.equal(parseMoment('2026-11-15T09:30')?.toISOString(), '2026-11-15T04:00:00.000Z')
  assert.equal(parseMoment('2026-11-15T09:30:00.123456Z')?.toISOString(), '2026-11-15T09:30:00.123Z')
  assert.equal(parseMoment('2026-11-15T09:30:00+05:30')?.toISOString(), '2026-11-15T04:00:00.000Z')
  assert.equal(parseMoment('2026-11-15T09:30:00-0800')?.toISOString(), '2026-11-15T17:30:00.000Z')
})

test('every moment survives the way out and back in', () => {
  const range = {
    min: new Date('0001-01-03T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  }
  fc.assert(
    fc.property(fc.date(range), moment => {
      assert.equal(parseMoment(moment.toISOString())?.getTime(), moment.getTime())
    }),
  )
})

test('no text makes the reader throw, and what it accepts the database can hold', () => {
  const almost = fc.stringMatching(
    /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,12})?)?(Z|[+-]\d{2}:?\d{2})?$/,
  )
  fc.assert(
    fc.property(fc.oneof(fc.string(), almost), text => {
      const moment = parseMoment(text)
      if (moment !== null) assert.match(moment.toISOString(), /^\d{4}-/)
    }),
    { numRuns: 5_000 },
  )
})

test('days are real days of the calendar', () => {
  assert.equal(parseDay('2028-02-29'), '2028-02-29')
  for (const text of [
    '2027-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-1-5',
    '26-01-05',
    '2026-11-15T00:00',
    '0000-01-01',
  ]) {
    assert.equal(parseDay(text), null, text)
  }
})

test('a day begins at midnight in India and ends where the next begins', () => {
  assert.equal(startOfDay('2026-11-15').toISOString(), '2026-11-14T18:30:00.000Z')
  assert.equal(dayAfter('2026-12-31'), '2027-01-01')
  assert.equal(formatMoment(new Date('2026-11-15T04:00:00Z')), '15 November 2026 at 9:30 am IST')
})

const said = (end: string): string => formatMoment(lastMoment(new Date(end)))

test('what ends at midnight is said to end in the minute before, anything else when it ends', () => {
  assert.equal(said('2026-11-15T18:30:00Z'), '15 November 2026 at 11:59 pm IST')
  assert.equal(said('2026-11-15T04:00:00Z'), '15 November 2026 at 9:30 am IST')
})
