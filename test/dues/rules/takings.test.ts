import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LATE_FEE, type LateFee } from '../../../src/dues/dues.rules.ts'
import {
  counterFeesOf,
  divideAmongWays,
  nextDueDay,
  takingProblems,
} from '../../../src/dues/takings/takings.rules.ts'
import { paiseOf, sumPaise, ZERO, type Paise } from '../../../src/platform/money.ts'

const amount = fc.integer({ min: 1, max: 10_000_000 }).map(paiseOf)
const lines = fc.uniqueArray(
  fc.record({ componentType: fc.constantFrom('A', 'B', LATE_FEE, 'C'), amountPaise: amount }),
  { selector: line => line.componentType, minLength: 1, maxLength: 4 },
)
const children = fc
  .array(lines, { minLength: 1, maxLength: 4 })
  .map(all => all.map((own, index) => ({ studentId: `student_${index}`, lines: own })))

/** Cuts a sum at some of its paise, so that the ways add up to it. */
const waysOf = (total: Paise, cuts: readonly number[]): { amountPaise: Paise }[] => {
  const at = [...new Set(cuts.map(cut => 1 + Math.floor(cut * (total - 1))))].filter(cut => cut < total)
  const ends = [...at.toSorted((one, other) => one - other), total]
  return ends.map((end, index) => ({ amountPaise: paiseOf(end - (ends[index - 1] ?? 0)) }))
}
const sumOf = (parts: readonly { amountPaise: Paise }[]): Paise => sumPaise(parts.map(one => one.amountPaise))

test('however a family divides a sum among ways, each way and each fee of each child come out to the paisa, late fees first', () => {
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 })
  fc.assert(
    fc.property(children, cuts, (family, at) => {
      const ways = waysOf(sumOf(family.flatMap(child => child.lines)), at)
      assert.deepEqual(takingProblems(family, ways), [])
      const parts = divideAmongWays(family, ways)
      for (const [wayNo, way] of ways.entries())
        assert.equal(sumOf(parts.filter(part => part.wayNo === wayNo)), way.amountPaise)
      for (const [childNo, child] of family.entries()) {
        const own = parts.filter(part => part.childNo === childNo)
        assert.equal(
          new Set(own.map(part => part.wayNo)).size,
          own.length,
          'a payment for each child and way',
        )
        for (const { componentType, amountPaise } of child.lines)
          assert.equal(
            sumOf(own.flatMap(part => part.lines).filter(line => line.componentType === componentType)),
            amountPaise,
          )
        const types = own.flatMap(part => part.lines.map(line => line.componentType))
        const other = types.findIndex(type => type !== LATE_FEE)
        assert.ok(other < 0 || !types.slice(other).includes(LATE_FEE), 'late fees are paid first')
      }
      for (const part of parts) assert.equal(sumOf(part.lines), part.amountPaise)
    }),
  )
})

test('ways that do not add up to the fees, and a child that stands twice, are named', () => {
  const child = { studentId: 'student_1', lines: [{ componentType: 'A', amountPaise: paiseOf(10_000) }] }
  const [short] = takingProblems([child], [{ amountPaise: paiseOf(9_999) }])
  assert.deepEqual([short?.key, /100; they are 99\.99/.test(short?.message ?? '')], ['ways', true])
  assert.equal(takingProblems([child, child], [])[0]?.key, 'children.1.service_student_id')
})

const TODAY = '2026-11-16'
const owedLine = fc
  .record({
    componentType: fc.constantFrom('A', 'B', 'C', 'D', LATE_FEE),
    owedPaise: fc.integer({ min: 0, max: 1_000_000 }).map(paiseOf),
    share: fc.integer({ min: 0, max: 100 }),
    dueOn: fc.constantFrom(null, '2026-07-10', '2026-11-16', '2026-12-10', '2027-01-10'),
    isCarried: fc.boolean(),
    lateRuleId: fc.constantFrom(null, 'late_1'),
  })
  .map(({ share, ...one }) => ({ ...one, plannedPaise: paiseOf(Math.floor((one.owedPaise * share) / 100)) }))
const owedLines = fc.uniqueArray(owedLine, { selector: one => one.componentType, maxLength: 5 })

test('each offer holds what the one before it holds, no fee beyond what is left of it, and nothing that a plan takes', () => {
  fc.assert(
    fc.property(owedLines, amount, (own, late) => {
      const fee: LateFee = {
        ruleId: 'late_1',
        componentType: null,
        dueOn: '2026-07-10',
        daysLate: 3,
        amountPaise: late,
        waivedPaise: ZERO,
      }
      const lateFees = own.some(line => line.lateRuleId === 'late_1' && line.owedPaise > 0) ? [fee] : []
      const dues = { lines: own, lateFees }
      const fees = counterFeesOf(dues, { today: TODAY, nextDay: nextDueDay([dues], TODAY) })
      for (const { componentType, leftPaise, overduePaise, termPaise, everythingPaise } of fees) {
        assert.ok(overduePaise <= termPaise && termPaise <= everythingPaise && everythingPaise <= leftPaise)
        if (componentType === LATE_FEE) continue
        const line = own.find(one => one.componentType === componentType)
        assert.equal(everythingPaise, (line?.owedPaise ?? 0) - (line?.plannedPaise ?? 0))
        assert.equal(overduePaise > 0, everythingPaise > 0 && (line?.dueOn ?? '9') < TODAY)
      }
      const left = sumPaise(fees.map(one => one.leftPaise))
      assert.equal(
        left,
        sumPaise([...own.map(one => one.owedPaise), ...lateFees.map(one => one.amountPaise)]),
      )
    }),
  )
})
