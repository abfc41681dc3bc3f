import { field, optional, query } from '../../http/wire/input.ts'
import { GROUPINGS } from './dues.rules.ts'

export const ageingQuery = query({
  by: optional(field.oneOf(GROUPINGS, 'What a row is of; components if absent.'), 'component'),
  grade: optional(field.code('Only of this grade.', '5')),
  collector_code: optional(field.code('Only of this branch.', 'MAIN')),
  academic_year_start: optional(field.year('Only of the year that begins then.', 2026)),
})
