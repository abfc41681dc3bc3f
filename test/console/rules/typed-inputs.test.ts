import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { readTypedDay } from '../../../src/platform/typed/day.rules.ts'
import { groupAmount, isAmountSoFar, plainAmount, regroup } from '../../../web/src/ui/form/amount.ts'
import { formatTime, readMoment, readWholeDay } from '../../../web/src/ui/form/day.ts'

const SHOWN_DAY = new Intl.DateTimeFormat('en-IN', { timeZone: 'UTC', dateStyle: 'medium' })
const aDay = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10))
const paise = fc.integer({ min: 0, max: 10_000_000_000_000 })

/** What stands in the field after these keys, one after the other. */
function type(keys: string): string {
  return Array.from(keys).reduce((shown, key) => regroup(shown, shown + key, shown.length + 1).text, '')
}

test('an amount is read however people write it', () => {
  for (const typed of [
    '1,23,456.50',
    '123456.50',
    '₹ 1,23,456.50',
    'Rs. 1,23,456.50/-',
    '123,456.50',
    ' INR 123456.50 ',
  ])
    assert.equal(plainAmount(typed), '123456.50', typed)
  for (const typed of ['500', '₹500', '₹ 500', '500/-', 'Rs 500 /-', 'rs.500', '500.', '500/='])
    assert.equal(plainAmount(typed), '500', typed)
  assert.equal(plainAmount('.50'), '0.50')
})

test('what is no amount stays as it was typed, and the field says so', () => {
  for (const typed of ['sixty', '60x0', '0.001', '1234,50', '1,5', '12,34', '-500', '5e3']) {
    assert.doesNotMatch(plainAmount(typed), /^\d+(\.\d{1,2})?$/, typed)
    assert.equal(groupAmount(typed), typed)
    assert.equal(isAmountSoFar(typed), false, typed)
  }
  for (const typed of ['', '₹', 'R', 'Rs. ', '₹ 5', '500/', '500.', '.'])
    assert.equal(isAmountSoFar(typed), true, typed)
})

test('every amount that is shown grouped reads back as the same, and typing it shows it so', () => {
  fc.assert(
    fc.property(paise, amount => {
      const plain = (amount / 100).toFixed(2)
      const shown = new Intl.NumberFormat('en-IN', { minimumFractionDigits: 2 }).format(amount / 100)
      assert.equal(groupAmount(plain), shown)
      assert.equal(plainAmount(shown), plain)
      assert.equal(type(plain), shown)
      assert.equal(type(shown), shown)
      assert.equal(type(`₹${plain}/-`), shown)
    }),
  )
})

test('the caret stays behind the digit that was typed or beside the one that was deleted', () => {
  assert.deepEqual(regroup('1,234', '1,9234', 3), { text: '19,234', caret: 2 })
  assert.deepEqual(regroup('12,345', '1,345', 1), { text: '1,345', caret: 1 })
  assert.deepEqual(regroup('1,234', '1234', 1), { text: '1,234', caret: 1 })
  assert.deepEqual(regroup('', '₹ 123456', 8), { text: '1,23,456', caret: 8 })
  for (const before of ['', '1,23,456', '12,345'])
    assert.equal(regroup(before, '1234,50', 7).text, '1234,50', 'pasted, and no amount')
})

test('a day is read however people write it, the day first', () => {
  for (const typed of [
    '18 Nov 2026',
    '18 november 2026',
    '18th Nov, 2026',
    '18-Nov-26',
    '18Nov2026',
    'Nov 18, 2026',
    '18/11/2026',
    '18-11-26',
    '18.11.2026',
    '18 11 2026',
    '18112026',
    '2026-11-18',
    ' 18/11/2026 ',
  ])
    assert.equal(readTypedDay(typed), '2026-11-18', typed)
  assert.equal(readTypedDay('5/3/98'), '1998-03-05')
  assert.equal(readTypedDay('1 Sept 2026'), '2026-09-01')
})

test('what is no day is none: days that a month does not have, the month first, years of a slip', () => {
  for (const typed of [
    '',
    '18',
    '18 Nov',
    '31/02/2026',
    '29 Feb 2027',
    '11/18/2026',
    '18/11/0202',
    '18/11/202',
    '18 Nob 2026',
    '1/2/3/2026',
    'tomorrow',
  ])
    assert.equal(readTypedDay(typed), null, typed)
})

test('every day reads back from all of its forms, and no key on the way to it is taken for another day', () => {
  fc.assert(
    fc.property(aDay, day => {
      const [year = '', month = '', date = ''] = day.split('-')
      const shown = SHOWN_DAY.format(new Date(day))
      for (const text of [
        shown,
        day,
        `${date}/${month}/${year}`,
        `${Number(date)}.${Number(month)}.${year}`,
      ]) {
        assert.equal(readTypedDay(text), day, text)
        for (let keys = 1; keys < text.length; keys++)
          assert.ok([null, day].includes(readWholeDay(text.slice(0, keys))), text.slice(0, keys))
      }
    }),
  )
})

test('a time of day is read with am and pm or in 24 hours, and is shown with am and pm', () => {
  for (const typed of [
    '18 Nov 2026, 9:30 pm',
    '18/11/2026 21:30',
    '18 Nov 2026 at 9.30 PM',
    '2026-11-18T21:30',
    '18-11-26, 9:30p.m.',
  ])
    assert.equal(readMoment(typed), '2026-11-18T21:30', typed)
  assert.equal(readMoment('18 Nov 2026, 12 am'), '2026-11-18T00:00')
  for (const typed of [
    '18 Nov 2026',
    '18 Nov 2026 9',
    '18 Nov 2026 25:00',
    '18 Nov 2026 13:00 pm',
    '18 11 2026',
  ])
    assert.equal(readMoment(typed), null, typed)
  fc.assert(
    fc.property(aDay, fc.integer({ min: 0, max: 1_439 }), (day, minutes) => {
      const time = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
      const shown = `${SHOWN_DAY.format(new Date(day))}, ${formatTime(time)}`
      assert.equal(readMoment(shown), `${day}T${time}`, shown)
    }),
  )
})

/** Inputs of days and amounts that are not the shared ones. */
function rawInputs(source: string): string[] {
  const elements = source.split(/(?=<[A-Z]\w*\b)/)
  return elements
    .filter(element => /^<(TextInput|Field|NumberInput|input)\b/.test(element))
    .filter(
      element =>
        /type=(["'])(date|datetime-local|month|number)\1/.test(element) ||
        /inputMode=(["'])decimal\1/.test(element) ||
        (/label=[^\n]*\b(rupees|amount|charge)\b/i.test(element) && !/\breadOnly\b/.test(element)),
    )
}

test('every day and every amount of the console is typed into the shared inputs', () => {
  const tracked = execFileSync('git', ['ls-files', 'web/src'], { encoding: 'utf8' })
  const pages = tracked
    .split('\n')
    .filter(path => path.endsWith('.tsx') && !/\/form\/(day|amount)-input\.tsx$/.test(path))
  const found = pages.flatMap(path =>
    rawInputs(readFileSync(path, 'utf8')).map(element => `${path}: ${element.slice(0, 90)}`),
  )
  assert.ok(pages.length > 150)
  assert.deepEqual(found, [])
  const planted = [
    '<TextInput\n label="Due on"\n type="date" />',
    '<TextInput label="Charge, rupees" />',
    '<Field inputMode="decimal" />',
  ]
  assert.deepEqual(
    planted.map(one => rawInputs(one).length),
    [1, 1, 1],
  )
})
