import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { shareFor, type LinkScope } from '../../../src/dues/due-links.rules.ts'
import { paiseOf, sumPaise } from '../../../src/platform/money.ts'

const TODAY = '2026-11-17'
const day = fc.constantFrom('2026-10-01', TODAY, '2026-12-01', null)
const paise = fc.integer({ min: 0, max: 1_000 }).map(paiseOf)
const line = (componentType: string) =>
  fc.record({
    componentType: fc.constant(componentType),
    owedPaise: paise,
    plannedPaise: paise,
    dueOn: day,
    isCarried: fc.boolean(),
    lateRuleId: fc.constantFrom('rule-1', null),
  })
const dues = fc
  .record({
    lines: fc.tuple(line('A'), line('B'), line('C')),
    latePaise: paise,
    partPayment: fc.record({ isAllowed: fc.boolean(), leastPaise: fc.constantFrom(1, 500).map(paiseOf) }),
    allocation: fc.constantFrom('oldest_due' as const, 'as_registered' as const, 'in_proportion' as const),
  })
  .map(({ lines, latePaise, ...rest }) => {
    const late = { ruleId: 'rule-1', componentType: null, dueOn: '2026-10-01', daysLate: 47 }
    const lateFees = [{ ...late, amountPaise: latePaise, waivedPaise: paiseOf(0) }]
    const totalPaise = sumPaise([...lines.map(one => one.owedPaise), latePaise])
    return { today: TODAY, lines, lateFees, totalPaise, ...rest }
  })
const scope = fc.constantFrom<LinkScope>(
  { scope: 'overdue' },
  { scope: 'year' },
  { scope: 'due_by', until: '2026-12-01' },
)

test('a link asks for nothing that is not owed, nothing that a plan takes, and only what the rules of the institute allow', () => {
  fc.assert(
    fc.property(dues, scope, (due, asked) => {
      const { share, why } = shareFor(due, asked)
      if (share === null) return assert.notEqual(why, '')
      const sum = sumPaise([...share.lines, ...share.lateFees].map(one => one.amountPaise))
      assert.ok(sum > 0 && sum <= due.totalPaise)
      const { isAllowed, leastPaise } = due.partPayment
      assert.ok(sum === due.totalPaise || (isAllowed && sum >= Math.min(leastPaise, due.totalPaise)))
      for (const { componentType, amountPaise } of share.lines) {
        const owed = due.lines.find(one => one.componentType === componentType)
        assert.ok(owed !== undefined && amountPaise > 0)
        assert.ok(amountPaise <= Math.max(0, owed.owedPaise - owed.plannedPaise), 'a plan takes the rest')
      }
      return undefined
    }),
    { numRuns: 2_000 },
  )
})
