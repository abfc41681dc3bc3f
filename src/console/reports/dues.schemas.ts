import { field, optional, query } from '../../http/wire/input.ts'
import { GROUPINGS } from './reports.rules.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Ageing, AgeingRow } from './dues.service.ts'

export const ageingQuery = query({
  by: optional(field.oneOf(GROUPINGS, 'What a row is of; components if absent.'), 'component'),
  grade: optional(field.code('Only of this grade.', '5')),
  collector_code: optional(field.code('Only of this branch.', 'MAIN')),
  academic_year_start: optional(field.year('Only of the year that begins then.', 2026)),
})

const AMOUNT = 123456.5

const row = outputOf<AgeingRow>()
const bucketFields = {
  students: row.integer('How many students owe it.', 40),
  total: row.amount('All that is owed.', AMOUNT),
  not_due: row.amount('Due today or later.', AMOUNT),
  days_0_30: row.amount('Up to 30 days late.', AMOUNT, ({ days30Paise }) => days30Paise),
  days_31_60: row.amount('31 to 60 days late.', AMOUNT, ({ days60Paise }) => days60Paise),
  days_61_90: row.amount('61 to 90 days late.', AMOUNT, ({ days90Paise }) => days90Paise),
  days_over_90: row.amount('More than 90 days late.', AMOUNT, ({ over90Paise }) => over90Paise),
  no_due_day: row.amount('Without a due day.', AMOUNT),
}
const groupOutput = row.object({
  key: row.text('The component, grade or branch.', 'TUITION_FEE', ({ key }) => key ?? ''),
  ...bucketFields,
})

const overdue = outputOf<Ageing['overdue']>()
const overdueOutput = overdue.object({
  amount: overdue.amount('All that is past its due day, late fees included.', AMOUNT),
  students: overdue.integer('Of how many children.', 40),
  families: overdue.integer('Of how many families: children for whom the same user pays are one.', 33),
})

const out = outputOf<Ageing>()
export const ageingOutput = out.object({
  today: out.day('The day that it is of.', '2026-11-15'),
  by: out.oneOf(GROUPINGS, 'What a row is of.'),
  groups: out.list('Those who owe most first.', groupOutput),
  total: out.one('All of them together.', row.object(bucketFields)),
  overdue: out.one('Who is late; of a grade those with dues of that grade, as in the list.', overdueOutput),
  on_the_way_amount: out.amount(
    'Of all that is owed, what banks have been asked for and have not answered, and what lenders have promised.',
    AMOUNT,
    ({ onTheWayPaise }) => onTheWayPaise,
  ),
})

export type AgeingAnswer = Shown<typeof ageingOutput>
