import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { paiseOf } from '../../src/platform/money.ts'
import {
  decideFamily,
  familyOf,
  groupFamilies,
  totalAsked,
  wordingProblems,
  type Child,
} from '../../src/reminders/reminders.rules.ts'

const phone = fc
  .tuple(fc.constantFrom('', '+91 ', '0', '91-'), fc.integer({ min: 0, max: 5 }))
  .map(([prefix, last]) => `${prefix}98765 4321${last}`)
const member = fc.record({
  studentId: fc.integer({ min: 1, max: 20 }).map(n => `student_${n}`),
  contactName: fc.constant('Asha'),
  contactNumber: phone,
})

test('property: every student is in exactly one family, and a phone number is in one family only', () => {
  fc.assert(
    fc.property(fc.array(member, { maxLength: 30 }), members => {
      const families = groupFamilies(members)
      const ids = families.flatMap(({ studentIds }) => studentIds)
      assert.deepEqual(new Set(ids), new Set(members.map(({ studentId }) => studentId)))
      assert.equal(ids.length, new Set(ids).size)
      assert.equal(families.length, new Set(families.map(({ family }) => family)).size)
      for (const { family } of families) assert.equal(family, familyOf(`+91${family}`))
    }),
  )
})

const amount = fc.integer({ min: 0, max: 100_000 }).map(paiseOf)
const child: fc.Arbitrary<Child> = fc
  .record({
    studentId: fc.uuid(),
    erp: fc.constantFrom('fresh' as const, 'refused' as const, 'unavailable' as const),
    owedPaise: amount,
    share: fc.integer({ min: 0, max: 4 }),
    isAllowed: fc.boolean(),
    isActive: fc.boolean(),
    isOnTheWay: fc.boolean(),
    dueOn: fc.constantFrom('2026-01-01', '2026-12-01', null),
  })
  .map(({ studentId, erp, owedPaise, share, isAllowed, isActive, isOnTheWay, dueOn }) => ({
    studentId,
    erp,
    dues: {
      today: '2026-06-01',
      lines: [
        {
          componentType: 'FEE',
          owedPaise,
          plannedPaise: paiseOf(Math.floor((owedPaise * share) / 4)),
          dueOn,
        },
      ],
      lateFees: [],
      totalPaise: owedPaise,
      partPayment: { isAllowed, leastPaise: paiseOf(100) },
      isActive,
      isOnTheWay,
    },
  }))

test('property: nobody is asked for what a plan takes, for nothing, or without fresh data of an active child', () => {
  fc.assert(
    fc.property(
      fc.array(child, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('overdue' as const, 'all' as const),
      (children, scope) => {
        const decision = decideFamily(children, scope)
        if (decision.kind === 'withhold') return
        assert.ok(totalAsked(decision.children) > 0)
        for (const { studentId, amountPaise } of decision.children) {
          const of = children.find(one => one.studentId === studentId)
          const line = of?.dues?.lines[0]
          assert.ok(of?.erp === 'fresh' && of.dues?.isActive === true && line !== undefined)
          const byHand = line.owedPaise - line.plannedPaise
          assert.ok(amountPaise > 0 && amountPaise <= Math.max(byHand, 100))
          if (scope === 'overdue') assert.equal(line.dueOn, '2026-01-01')
        }
      },
    ),
  )
})

test('a text without {details}, or with a placeholder that stands for nothing, is refused at its field', () => {
  assert.deepEqual(wordingProblems({ subject: 'Fees of {total}', body: '{details} {parent}' }), [])
  assert.deepEqual(
    wordingProblems({ subject: '{x}', body: '{details} {}' }).map(({ key }) => key),
    ['subject', 'body'],
  )
})
