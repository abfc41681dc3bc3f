import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { ConcessionRule, FeeStructure, StructureAmount, Term } from './structure.rules.ts'

const term = outputOf<Term>()
const termOutput = term.object({
  name: term.text('Such as Term 1.', 'Term 1'),
  due_date: term.day('When its fees are due.', '2026-06-10', one => one.dueOn),
})

const amount = outputOf<StructureAmount>()
const amountOutput = amount.object({
  grade: amount.text('The class.', '5'),
  component_type: amount.text('The fee.', 'TUITION_FEE'),
  term: amount.integer('Which term, counted from 1.', 1),
  amount: amount.amount('Rupees, before concessions.', 20000),
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
  amount: rule.optional.amount('Or rupees off each term of each of them.', 500),
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
