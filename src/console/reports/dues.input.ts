import { field, optional, query } from '../../http/wire/input.ts'
import { DEFAULTER_BUCKETS, GROUPINGS } from './dues.rules.ts'

const students = {
  grade: optional(field.code('Only of this grade.', '5')),
  collector_code: optional(field.code('Only of this branch.', 'MAIN')),
  academic_year_start: optional(field.year('Only of the year that begins then.', 2026)),
}

export const ageingQuery = query({
  by: optional(field.oneOf(GROUPINGS, 'What a row is of; components if absent.'), 'component'),
  ...students,
})

export const defaulterFilters = query({
  bucket: optional(field.oneOf(DEFAULTER_BUCKETS, 'How late; everybody who is late if absent.'), 'late'),
  ...students,
})

export const defaultersQuery = query({
  ...defaulterFilters.fields,
  limit: field.pageSize(),
  // A place in the list, not an id: the day and the student.
  cursor: field.cursor('2026-06-10.student_01k9zq4m0ve8sbn6yt2hw3c5da'),
})
