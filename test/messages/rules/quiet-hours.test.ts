import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWakingHour, nextWakingMoment } from '../../../src/messages/messages.rules.ts'
import { wholeFamilies } from '../../../src/flex/notices/reminders.rules.ts'

for (const [moment, next] of [
  ['2027-01-05T00:00:00', '2027-01-05T09:00:00'],
  ['2027-01-05T08:59:59', '2027-01-05T09:00:00'],
  ['2027-01-05T09:00:00', '2027-01-05T09:00:00'],
  ['2027-01-05T19:59:59', '2027-01-05T19:59:59'],
  ['2027-01-05T20:00:00', '2027-01-06T09:00:00'],
  ['2026-12-31T23:30:00', '2027-01-01T09:00:00'],
])
  test(`what is to be said at ${moment} in India is said at ${next}`, () => {
    const at = new Date(`${moment}+05:30`)
    assert.equal(nextWakingMoment(at).getTime(), new Date(`${next}+05:30`).getTime())
    assert.equal(isWakingHour(at), moment === next)
  })

test('a family is not cut in two by the end of a page', () => {
  const page = ['a', 'b', 'b'].map(family => ({ family }))
  assert.deepEqual(wholeFamilies(page, 3), [{ family: 'a' }])
  assert.deepEqual(wholeFamilies(page, 4), page)
  assert.deepEqual(wholeFamilies(page.slice(1), 2), page.slice(1))
})
