import { field, input, optional, query } from '../../http/wire/input.ts'
import { MAX_COMPONENTS } from '../../fees/fees.rules.ts'
import { feeFields } from '../student.input.ts'

export const ROLLOVER_ID = 'roll_01k9zq4m0ve8sbn6yt2hw3c5da'
const MAX_GRADES = 200

export const rolloverFields = {
  from_academic_year_start: field
    .year('Start of the year whose students are taken.', 2026)
    .as('fromYearStart'),
  from_academic_year_end: field.year('Its end.', 2027).as('fromYearEnd'),
  to_academic_year_start: field
    .year('Start of the year that they are registered for.', 2027)
    .as('toYearStart'),
  to_academic_year_end: field.year('Its end.', 2028).as('toYearEnd'),
  grades: field.list(
    'Where each grade goes. A student of a grade that is not here is reported as a problem.',
    input({
      grade: field.code('Grade of the old year.', '5'),
      next_grade: optional(
        field.code('Grade of the new year; absent: these students leave the school.', '6'),
      ),
    }),
    { min: 1, max: MAX_GRADES },
  ),
  fees: optional(
    field.list(
      'What a grade of the new year costs; one that is not here costs what the fee structure of that year says, if the office keeps one, else nothing yet. A branch with a fee structure of its own always costs what that says.',
      input({
        grade: field.code('Grade of the new year.', '6'),
        fee_components: field.list('The fees.', input(feeFields), { min: 1, max: MAX_COMPONENTS }).as('fees'),
      }),
      { max: MAX_GRADES },
    ),
    [],
  ),
  carry_dues_as: optional(
    field.code(
      'The component of the new record that takes over what is still due of the old one; absent: it stays due there.',
      'PREVIOUS_YEAR_DUES',
    ),
  ).as('duesComponent'),
  carry_advance_as: optional(
    field.code(
      'The component of the new record that takes over what was paid too much; absent: it stays on the old one.',
      'PREVIOUS_YEAR_ADVANCE',
    ),
  ).as('advanceComponent'),
  preview: optional(field.flag('true: only say what would happen.', false), false).as('isPreview'),
}

export const rolloverInput = input(rolloverFields)

export const rolloverParams = input({
  rollover_id: field.resourceId('The id that starting it answered with.', ROLLOVER_ID),
})

export const rolloversQuery = query({ limit: field.pageSize(), cursor: field.cursor(ROLLOVER_ID) })
