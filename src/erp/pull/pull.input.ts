import { field, ifSent, input, query } from '../../http/wire/input.ts'
import { SCHOOL_YEAR, studentFields } from '../../students/student.input.ts'

/** What the routes of the pull integration take. */
export const FETCH_ID = 'fetch_1k092c8gpz8wezh4es8gqprf85'

export const fetchTestInput = input(
  {
    identifier: field.identifier('The student to ask for.', 'ADM-1042'),
    grade: ifSent(field.code('Grade code; sent if the lookup option has it.', '5')),
    custom_identifier: ifSent(field.identifier('Likewise.', 'ROLL-17')),
    collector_code: ifSent(field.code('Branch code: chooses the settings, and is sent likewise.', 'MAIN')),
    academic_year_start: ifSent(studentFields.academic_year_start),
    academic_year_end: ifSent(studentFields.academic_year_end),
  },
  SCHOOL_YEAR,
)

export const listFetchesQuery = query({ limit: field.pageSize(), cursor: field.cursor(FETCH_ID) })
