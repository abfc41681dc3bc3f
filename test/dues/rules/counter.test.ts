import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { takeLateFees } from '../../../src/dues/counter.rules.ts'
import { LATE_FEE } from '../../../src/dues/dues.rules.ts'
import { paiseOf, sumPaise, ZERO } from '../../../src/platform/money.ts'

const paise = fc.integer({ min: 0, max: 1_000_000 }).map(paiseOf)
const LATE_FROM = '2026-01-01'
/** What was carried from an earlier year was due long before the day from which its late fee is counted. */
const dueDay = fc.constantFrom(LATE_FROM, '2025-06-10')

test('at the counter a late fee is charged, still asked for or said to lapse: never more than it, and never lost', () => {
  fc.assert(
    fc.property(paise, paise, paise, paise, dueDay, (owed, asked, paidTuition, paidLate, dueOn) => {
      const dues = {
        lines: [{ componentType: 'TUITION', owedPaise: owed, plannedPaise: ZERO, dueOn, lateRuleId: 'r' }],
        lateFees:
          asked === 0
            ? []
            : [
                {
                  ruleId: 'r',
                  componentType: null,
                  dueOn: LATE_FROM,
                  daysLate: 9,
                  amountPaise: asked,
                  waivedPaise: ZERO,
                },
              ],
      }
      const lines = [
        { componentType: 'TUITION', amountPaise: paidTuition },
        { componentType: LATE_FEE, amountPaise: paidLate },
      ]
      const { charged, lapsing } = takeLateFees(dues, { lines })
      const took = sumPaise(charged.map(fee => fee.amountPaise))
      assert.equal(took, Math.min(asked, paidLate))
      const lapses = sumPaise(lapsing.map(fee => fee.amountPaise))
      assert.equal(lapses, owed > paidTuition ? 0 : asked - took)
    }),
  )
})
