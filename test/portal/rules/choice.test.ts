import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { DueLine, Dues } from '../../../src/dues/dues.service.ts'
import { paiseOf, sumPaise, ZERO } from '../../../src/platform/money.ts'
import {
  boxOf,
  problemOf,
  proposedFor,
  readBoxes,
  totalPaise,
  type Payable,
} from '../../../src/portal/parents/choose-page.ts'

const amount = fc.integer({ min: 1, max: 1_000_000 }).map(paiseOf)

/** Only what choosing looks at. */
function childOf(studentId: string, accountId: string, owed: readonly number[]): Payable {
  const lines = owed.map((paise, index) => ({
    componentType: `FEE_${index}`,
    owedPaise: paiseOf(paise),
    plannedPaise: ZERO,
    dueOn: null,
    isCarried: false,
    lateRuleId: null,
  })) as unknown as DueLine[]
  const total = sumPaise(lines.map(line => line.owedPaise))
  const dues = {
    today: '2026-11-17',
    lines,
    lateFees: [],
    owedPaise: total,
    lateFeePaise: ZERO,
    totalPaise: total,
    partPayment: { isAllowed: true, leastPaise: paiseOf(1) },
  } as unknown as Dues
  return { studentId, accountId, dues }
}

const family = fc
  .array(fc.tuple(fc.constantFrom('pa_1', 'pa_2'), fc.array(amount, { minLength: 1, maxLength: 4 })), {
    minLength: 1,
    maxLength: 5,
  })
  .map(children => children.map(([account, owed], index) => childOf(`student_${index}`, account, owed)))

test('children whose money goes to different accounts are not paid at once, and what is ticked at first can always be paid', () => {
  fc.assert(
    fc.property(family, children => {
      const proposed = proposedFor(children, undefined)
      assert.equal(problemOf(children, proposed), null)
      const all = new Map(
        children.map(({ studentId, dues }) => [studentId, dues.lines.map(line => line.componentType)]),
      )
      const hasTwo = new Set(children.map(({ accountId }) => accountId)).size > 1
      assert.equal(problemOf(children, all)?.kind ?? null, hasTwo ? 'accounts' : null)
      assert.equal(totalPaise(children, all), sumPaise(children.map(({ dues }) => dues.totalPaise)))
    }),
  )
})

const onDays = ({ dues }: Payable, days: readonly string[]) =>
  days.forEach((dueOn, index) =>
    Object.assign(dues.lines[index] ?? assert.fail(), { dueOn, isLate: dueOn < dues.today }),
  )

test('where a fee of any child is overdue, what other children pay later is not ticked', () => {
  const [late, later] = [childOf('student_0', 'pa_1', [100, 200]), childOf('student_1', 'pa_1', [300])]
  onDays(late, ['2026-11-16', '2026-12-15'])
  onDays(later, ['2026-12-15'])
  assert.deepEqual([...proposedFor([late, later], undefined)], [['student_0', ['FEE_0']]])
  onDays(late, ['2026-12-15', '2027-01-15'])
  assert.deepEqual(
    [...proposedFor([late, later], undefined)],
    [
      ['student_0', ['FEE_0']],
      ['student_1', ['FEE_0']],
    ],
  )
})

test('boxes are read as they were written, whatever a fee is called', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 64 }), type => {
      const child = childOf('student_0', 'pa_1', [100])
      const expected = type === '*' ? ['FEE_0'] : [type]
      assert.deepEqual(readBoxes([boxOf('student_0', type)], [child]).get('student_0'), expected)
    }),
  )
})
