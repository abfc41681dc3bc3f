import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { firstIdAt } from '../../../src/platform/ids.ts'
import { addMonths, monthOf, monthsToRetire } from '../../../src/platform/retention/months.rules.ts'
import { startBursar } from '../../harness/bursar.ts'

const moment = fc.date({ min: new Date('2020-01-01'), max: new Date('2060-01-01'), noInvalidDate: true })
const DAY_MS = 86_400_000

test('a row is kept for at least the months that were promised, and for less than two more', () => {
  fc.assert(
    fc.property(
      moment,
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 0, max: 4_000 }),
      (at, keep, days) => {
        const now = new Date(at.getTime() + days * DAY_MS)
        const isRetired = monthsToRetire([monthOf(at)], keep, now).length === 1
        if (isRetired) assert.ok(days >= keep * 28, 'kept for so many months')
        if (days > (keep + 2) * 31) assert.ok(isRetired, 'and not for ever')
      },
    ),
  )
})

test('months are counted over the end of a year, in India', () => {
  assert.equal(monthOf(new Date('2026-12-31T18:29:59Z')), '2026_12')
  assert.equal(monthOf(new Date('2026-12-31T18:30:00Z')), '2027_01')
  assert.equal(addMonths('2026_12', 1), '2027_01')
  assert.equal(addMonths('2027_01', -13), '2025_12')
  assert.deepEqual(monthsToRetire(['2026_03', '2026_01', '2026_02'], 6, new Date('2026-09-01T00:00:00Z')), [
    '2026_01',
    '2026_02',
  ])
})

test('the database and the process begin the ids of a moment alike', async t => {
  const bursar = await startBursar(t)
  const moments = fc.sample(moment, 200)
  const rows = await bursar.sql<{ id: string }>(
    `select first_id_at('evt', at) as id from unnest($1::timestamptz[]) with ordinality as m (at, no) order by no`,
    [moments],
  )
  assert.deepEqual(
    rows.map(({ id }) => id),
    moments.map(at => firstIdAt('evt', at)),
  )
})
