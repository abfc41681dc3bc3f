import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { allocate, chosenOf, proposedOf } from '../../../src/dues/allocation.rules.ts'
import type { LateFee } from '../../../src/dues/dues.rules.ts'
import { BursarError } from '../../../src/platform/errors.ts'
import { paiseOf, sumPaise, ZERO } from '../../../src/platform/money.ts'

const paise = fc.integer({ min: 0, max: 10_000_000 }).map(paiseOf)
const day = fc.constantFrom(null, '2026-04-10', '2026-07-10', '2026-10-10', '2027-01-10')

const line = fc
  .record({
    componentType: fc.constantFrom('A', 'B', 'C', 'D', 'E'),
    owedPaise: paise,
    dueOn: day,
    isCarried: fc.boolean(),
    share: fc.integer({ min: 0, max: 100 }),
    lateRuleId: fc.constantFrom(null, 'late_1', 'late_2'),
  })
  .map(({ share, ...one }) => ({ ...one, plannedPaise: paiseOf(Math.floor((one.owedPaise * share) / 100)) }))
const lines = fc.uniqueArray(line, { selector: one => one.componentType, maxLength: 5 })

const lateFee = (ruleId: string, amountPaise: LateFee['amountPaise']): LateFee => ({
  ruleId,
  componentType: null,
  dueOn: '2026-04-10',
  daysLate: 3,
  amountPaise,
  waivedPaise: ZERO,
})

/** A child with its fees, of which it owes some, and the late fees that are due with them. */
const child = fc.tuple(lines, paise, paise).map(([own, one, two]) => {
  const lateFees = [lateFee('late_1', one), lateFee('late_2', two)].filter(fee =>
    own.some(each => each.owedPaise > 0 && each.lateRuleId === fee.ruleId),
  )
  const owedPaise = sumPaise(own.map(each => each.owedPaise))
  const lateFeePaise = sumPaise(lateFees.map(fee => fee.amountPaise))
  return { lines: own, lateFees, owedPaise, lateFeePaise, totalPaise: paiseOf(owedPaise + lateFeePaise) }
})
const picked = fc.subarray(['A', 'B', 'C', 'D', 'E'])
const allocation = fc.constantFrom('oldest_due', 'as_registered', 'in_proportion' as const)

test('whatever is picked of however many children, each pays for its own fees alone, and together they come to the sum to the paisa', () => {
  const family = fc.array(fc.tuple(child, picked), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(family, allocation, (children, rule) => {
      const parts = children.flatMap(([dues, types]) => {
        const isDue = dues.lines.some(one => one.owedPaise > 0 && types.includes(one.componentType))
        if (!isDue) return []
        const chosen = chosenOf(dues, types)
        const share = allocate(chosen.totalPaise, chosen, rule)
        for (const { componentType, amountPaise } of share.lines) {
          assert.ok(types.includes(componentType))
          assert.equal(
            amountPaise,
            dues.lines.find(one => one.componentType === componentType)?.owedPaise,
            'a picked fee is paid whole',
          )
        }
        // A fee that is paid whole leaves no late fee behind that nobody could ask for any more.
        for (const one of chosen.lines) {
          const late = dues.lateFees.find(fee => fee.ruleId === one.lateRuleId)?.amountPaise ?? ZERO
          const paid = share.lateFees.find(fee => fee.ruleId === one.lateRuleId)?.amountPaise ?? ZERO
          assert.equal(paid, late)
        }
        const paidPaise = sumPaise([...share.lines, ...share.lateFees].map(one => one.amountPaise))
        assert.equal(paidPaise, chosen.totalPaise)
        return [{ chosen: chosen.totalPaise, paid: paidPaise }]
      })
      assert.equal(sumPaise(parts.map(part => part.paid)), sumPaise(parts.map(part => part.chosen)))
    }),
    { numRuns: 500 },
  )
})

test('picking nothing that is due is refused', () => {
  fc.assert(
    fc.property(child, dues => {
      assert.throws(() => chosenOf(dues, ['X']), BursarError)
    }),
  )
})

test('what is proposed is what is overdue, else what is due next, else everything; never what instalments take', () => {
  const today = '2026-08-01'
  fc.assert(
    fc.property(lines, own => {
      const types = proposedOf(own, today)
      const open = own.filter(one => one.owedPaise > one.plannedPaise)
      assert.equal(types.length > 0, open.length > 0)
      const isOverdue = (one: (typeof own)[number]): boolean =>
        one.isCarried || (one.dueOn !== null && one.dueOn < today)
      for (const one of own) {
        const isProposed = types.includes(one.componentType)
        if (!open.includes(one)) assert.ok(!isProposed)
        else if (open.some(isOverdue)) assert.equal(isProposed, isOverdue(one))
      }
    }),
  )
})
