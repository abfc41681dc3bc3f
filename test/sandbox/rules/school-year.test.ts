import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openDay, schoolYear, yearStartOf } from '../../../src/sandbox/seed/seed.rules.ts'

const anyDay = fc
  .integer({ min: 0, max: 3_000 })
  .map(days => Temporal.PlainDate.from('2024-01-01').add({ days }).toString())

test('nobody pays on a Sunday, a holiday, after today or before the year, and never more than the fees', () => {
  fc.assert(
    fc.property(anyDay, fc.nat({ max: 400 }), fc.boolean(), (today, n, isLast) => {
      const yearStart = yearStartOf(today) - (isLast ? 1 : 0)
      const payments = schoolYear(n, { yearStart, firstGrade: 1, today })
      for (const { paidOn, settledOn } of payments) {
        assert.equal(openDay(paidOn), paidOn)
        assert.ok(paidOn >= `${yearStart}-04-01` && (settledOn ?? paidOn) <= today)
      }
      const paid = payments.reduce((sum, { tuitionPaise }) => sum + tuitionPaise, 0)
      assert.ok(paid <= 6_000_000 + (1 + (n % 12)) * 200_000 - (n % 5 === 4 ? 450_000 : 0))
      assert.ok(payments.every(({ tuitionPaise }) => Number.isInteger(tuitionPaise)))
      if (isLast && today.slice(5) > '04-01' && today.slice(5) < '12-31') assert.ok(payments.length >= 3)
    }),
  )
})
