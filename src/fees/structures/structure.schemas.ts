import { field, input, optional, type Read } from '../../http/wire/input.ts'
import type { FeeStructure, StructureKey, ConcessionRule, StructureAmount, Term } from './structure.rules.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'

const MOST = { terms: 12, heads: 30, grades: 60, amounts: 5_000, rules: 20 }
const head = field.code('A fee, such as TUITION_FEE.', 'TUITION_FEE')
const grade = field.code('A class.', '5')

const term = input({
  name: field.text('Such as Term 1.', 'Term 1', 20),
  due_date: field.day('When its fees are due, YYYY-MM-DD.', '2026-06-10').as('dueOn'),
})

const amount = input({
  grade,
  component_type: head,
  term: field.wholeNumber('Which term, counted from 1.', 1, [1, MOST.terms]),
  amount: field.amount('Rupees, before concessions.', 20000),
})

const concession = input({
  discount_type: field.code('What the concession is called.', 'SIBLING_2'),
  kind: field.oneOf(
    ['sibling', 'category'],
    'sibling: by the child of the family; category: by the category of the student.',
  ),
  child: optional(
    field.wholeNumber('With sibling: 2 for the second child; the highest is for later ones too.', 2, [2, 9]),
  ),
  category: optional(field.text('With category: such as Staff.', 'Staff', 64)),
  fee_heads: optional(
    field.list('The fees that it is taken off; absent: every one.', head, { max: MOST.heads }),
    [],
  ).as('heads'),
  percent: optional(field.wholeNumber('Of each of them.', 10, [1, 100])),
  amount: optional(field.positiveAmount('Or rupees off each term of each of them.', 500)),
})

export const structureInput = input({
  terms: field.list('The terms of the year, the earliest first.', term, { max: MOST.terms }),
  fee_heads: field
    .list('Its fees, in the order in which they are shown and paid.', head, { max: MOST.heads })
    .as('heads'),
  grades: field.list('Its classes, the lowest first.', grade, { max: MOST.grades }),
  amounts: field.list('What each costs; what is not here costs nothing.', amount, { max: MOST.amounts }),
  concessions: optional(field.list('Concessions by rule.', concession, { max: MOST.rules }), []),
})

const year = {
  academic_year_start: field.year('Start of the academic year.', 2026),
  academic_year_end: field.year('Its end.', 2027),
}
export const yearParams = input(year)
export const branchParams = input({ ...year, collector_code: field.code('The branch.', 'SOUTH') })

export function toStructure(key: StructureKey, body: Read<typeof structureInput>): FeeStructure {
  return { ...key, ...body }
}

const termOut = outputOf<Term>()
const termOutput = termOut.object({
  name: termOut.text('Such as Term 1.', 'Term 1'),
  due_date: termOut.day('When its fees are due.', '2026-06-10', one => one.dueOn),
})

const amountOut = outputOf<StructureAmount>()
const amountOutput = amountOut.object({
  grade: amountOut.text('The class.', '5'),
  component_type: amountOut.text('The fee.', 'TUITION_FEE'),
  term: amountOut.integer('Which termOut, counted from 1.', 1),
  amount: amountOut.amount('Rupees, before concessions.', 20000),
})

const rule = outputOf<ConcessionRule>()
const ruleOutput = rule.object({
  discount_type: rule.text('What the concession is called.', 'SIBLING_2'),
  kind: rule.oneOf(['sibling', 'category'], 'By the child of the family, or by the category of the student.'),
  child: rule.optional.integer('Which child of the family.', 2),
  category: rule.optional.text('The category.', 'Staff'),
  fee_heads: rule.texts('The fees that it is taken off; none: every one.', ['TUITION_FEE'], one => [
    ...one.heads,
  ]),
  percent: rule.optional.integer('Of each of them.', 10),
  amount: rule.optional.amount('Or rupees off each termOut of each of them.', 500),
})

const out = outputOf<FeeStructure>()
export const structureOutput = out.object({
  academic_year_start: out.integer('Start of the academic year.', 2026),
  academic_year_end: out.integer('Its end.', 2027),
  collector_code: out.optional.text(
    'The branch whose own structure this is; absent: that of the institute, for every branch without its own.',
    'SOUTH',
  ),
  terms: out.list('The terms of the year.', termOutput),
  fee_heads: out.texts('Its fees, in their own order.', ['TUITION_FEE'], one => [...one.heads]),
  grades: out.texts('Its classes, the lowest first.', ['5'], one => [...one.grades]),
  amounts: out.list('What each costs.', amountOutput),
  concessions: out.list('Concessions by rule.', ruleOutput),
})
export type StructureAnswer = Shown<typeof structureOutput>
