import { field, input, optional, type Read } from '../../http/wire/input.ts'
import type { FeeStructure, StructureKey } from './structure.rules.ts'

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
