import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { reconciledThrough, uncovered, type Gap } from '../../src/banking/statements/lines.rules.ts'
import { paiseOf } from '../../src/platform/money.ts'

const COVERED = { firstDay: '2026-11-01', lastDay: '2026-11-16', firstOpenDay: null, gaps: [] }

test('an account is reconciled up to the day before its first open line or its first gap', () => {
  assert.equal(reconciledThrough(COVERED), '2026-11-16')
  assert.equal(reconciledThrough({ ...COVERED, firstOpenDay: '2026-11-10' }), '2026-11-09')
  assert.equal(reconciledThrough({ ...COVERED, firstOpenDay: '2026-11-01' }), null)
  const gaps = [{ from: '2026-11-05' }, { from: '2026-11-12' }]
  assert.equal(reconciledThrough({ ...COVERED, gaps }), '2026-11-04')
  assert.equal(reconciledThrough({ ...COVERED, gaps, firstOpenDay: '2026-11-03' }), '2026-11-02')
  assert.equal(reconciledThrough({ ...COVERED, firstDay: null, lastDay: null }), null)
})

test('no day after an open line or a gap ever counts as reconciled, whatever the order of things', () => {
  const day = fc
    .integer({ min: 0, max: 60 })
    .map(days => Temporal.PlainDate.from('2026-04-01').add({ days }).toString())
  fc.assert(
    fc.property(fc.tuple(day, day), fc.option(day), fc.array(day), (ends, open, gapDays) => {
      const [firstDay = '', lastDay = ''] = ends.toSorted()
      const gaps = gapDays
        .filter(one => one > firstDay && one < lastDay)
        .toSorted()
        .map(from => ({ from }))
      const firstOpenDay = open !== null && open >= firstDay && open <= lastDay ? open : null
      const through = reconciledThrough({ firstDay, lastDay, firstOpenDay, gaps })
      if (through === null) return firstOpenDay === firstDay
      return (
        through >= firstDay &&
        through <= lastDay &&
        (firstOpenDay === null || through < firstOpenDay) &&
        gaps.every(gap => through < gap.from)
      )
    }),
  )
})

test('days between two statements are a gap unless the balances meet', () => {
  const gap: Gap = { after: '2026-04-29', before: '2026-05-04', closing: [], opening: [] }
  const days = { from: '2026-04-30', to: '2026-05-03' }
  assert.deepEqual(uncovered([gap]), [{ ...days, isMoneyMissing: false }])
  const closing = [paiseOf(500_00), paiseOf(900_00)]
  assert.deepEqual(uncovered([{ ...gap, closing, opening: [paiseOf(900_00)] }]), [])
  assert.deepEqual(uncovered([{ ...gap, closing, opening: [paiseOf(901_00)] }]), [
    { ...days, isMoneyMissing: true },
  ])
})
