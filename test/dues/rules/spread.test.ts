import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LATE_FEE, withoutTaken, type LateFee } from '../../../src/dues/dues.rules.ts'
import { spreadCredit } from '../../../src/dues/virtual-accounts/spread.rules.ts'
import { paiseOf, sumPaise, ZERO, type Paise } from '../../../src/platform/money.ts'

const paise = fc.integer({ min: 0, max: 10_000_000 }).map(paiseOf)
const day = fc.constantFrom(null, '2026-04-10', '2026-07-10', '2026-10-10', '2027-01-10')
const TYPES = ['A', 'B', 'C', 'D', 'E']

const line = fc.record({
  componentType: fc.constantFrom(...TYPES),
  owedPaise: paise,
  dueOn: day,
  isCarried: fc.boolean(),
})
const lateFee = paise.map((amountPaise): LateFee => ({
  ruleId: 'late_1',
  componentType: null,
  dueOn: '2026-04-10',
  daysLate: 3,
  amountPaise,
  waivedPaise: ZERO,
}))
const dues = fc
  .record({
    lines: fc.uniqueArray(line, { selector: one => one.componentType, maxLength: 5 }),
    lateFees: fc.array(lateFee, { maxLength: 1 }),
  })
  .map(({ lines, lateFees }) => {
    const owedPaise = sumPaise(lines.map(one => one.owedPaise))
    const lateFeePaise = sumPaise(lateFees.map(one => one.amountPaise))
    return { lines, lateFees, owedPaise, lateFeePaise, totalPaise: paiseOf(owedPaise + lateFeePaise) }
  })
const amount = fc.integer({ min: 1, max: 60_000_000 }).map(paiseOf)

const BY_DAY = { rule: 'oldest_due', today: '2026-08-01' } as const

const total = (parts: readonly { amountPaise: Paise }[]): number =>
  sumPaise(parts.map(one => one.amountPaise))

test('every paisa of a transfer pays something that is owed, and is an advance only when nothing is', () => {
  fc.assert(
    fc.property(amount, dues, (came, owed) => {
      const { lines, lateFees, advancePaise } = spreadCredit(came, owed, BY_DAY)
      assert.equal(total(lines) + total(lateFees) + advancePaise, came)
      for (const part of lines) {
        const due = owed.lines.find(one => one.componentType === part.componentType)
        assert.ok(due !== undefined && part.amountPaise > 0 && part.amountPaise <= due.owedPaise)
      }
      assert.equal(advancePaise > 0, came > owed.totalPaise)
    }),
  )
})

/** When something was due: what an earlier year left before all days, and what has no day after them. */
const dueBy = ({ isCarried, dueOn }: { isCarried: boolean; dueOn: string | null }): string =>
  isCarried ? '' : (dueOn ?? '9999')

test('late fees are paid first, then what fell due first, and of what fell due together what was registered first', () => {
  fc.assert(
    fc.property(amount, dues, (came, owed) => {
      const { lines, lateFees } = spreadCredit(came, owed, BY_DAY)
      if (lines.length > 0) assert.equal(total(lateFees), owed.lateFeePaise)
      const paid = new Map(lines.map(one => [one.componentType, one.amountPaise]))
      for (const [index, one] of owed.lines.entries()) {
        for (const [place, other] of owed.lines.entries()) {
          const isBefore = dueBy(one) < dueBy(other) || (dueBy(one) === dueBy(other) && index < place)
          if (isBefore && paid.has(other.componentType))
            assert.equal(paid.get(one.componentType) ?? 0, one.owedPaise, `${one.componentType} comes first`)
        }
      }
    }),
  )
})

test('what is on the way pays its own fees, and a transfer none of them a second time', () => {
  const under = fc.array(
    fc.record({ componentType: fc.constantFrom(...TYPES, LATE_FEE), amountPaise: paise }),
    { maxLength: 4 },
  )
  fc.assert(
    fc.property(amount, dues, under, (came, owed, lines) => {
      const left = withoutTaken(owed, [{ amountPaise: sumPaise(lines.map(one => one.amountPaise)), lines }])
      for (const part of spreadCredit(came, left, BY_DAY).lines) {
        const due = owed.lines.find(one => one.componentType === part.componentType)?.owedPaise ?? 0
        const taken = total(lines.filter(one => one.componentType === part.componentType))
        assert.ok(part.amountPaise <= Math.max(due - taken, 0))
      }
    }),
  )
})

test('by the rule a transfer pays nothing that is not overdue yet, or nothing at all, and the rest stays as an advance', () => {
  fc.assert(
    fc.property(amount, dues, (came, owed) => {
      const asked = spreadCredit(came, owed, { ...BY_DAY, rule: 'ask' })
      assert.deepEqual([asked.lines, asked.lateFees, asked.advancePaise], [[], [], came])
      const { lines, lateFees, advancePaise } = spreadCredit(came, owed, { ...BY_DAY, rule: 'overdue' })
      assert.equal(total(lines) + total(lateFees) + advancePaise, came)
      const late = owed.lines.filter(({ dueOn }) => dueOn !== null && dueOn < BY_DAY.today)
      for (const part of lines) assert.ok(late.some(one => one.componentType === part.componentType))
      const overdue = owed.lateFeePaise + sumPaise(late.map(one => one.owedPaise))
      assert.equal(advancePaise, Math.max(came - overdue, 0))
    }),
  )
})
