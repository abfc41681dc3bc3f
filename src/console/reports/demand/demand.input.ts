import { field, optional, query } from '../../../http/wire/input.ts'

export const demandQuery = query({
  academic_year_start: optional(
    field.year('The year that the academic year starts in; the present one if absent.', 2026),
  ),
})
