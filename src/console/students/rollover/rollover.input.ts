import { field, input, optional, query } from '../../../http/wire/input.ts'
import { rolloverFields } from '../../../students/rollover/rollover.schemas.ts'

const reason = field.text('Why; stands in the audit log.', 'The year 2027-28 begins')

/** The API's own fields; a preview needs no reason. */
export const startRolloverInput = input({
  ...rolloverFields,
  reason: optional(reason),
  without_structure: optional(
    field.flag('true: start although the new year lacks what `rollover-needs` names.', false),
    false,
  ).as('isWithoutStructure'),
})
export const rolloverNeedsQuery = query({
  from_academic_year_start: rolloverFields.from_academic_year_start,
  from_academic_year_end: rolloverFields.from_academic_year_end,
  to_academic_year_start: rolloverFields.to_academic_year_start,
  to_academic_year_end: rolloverFields.to_academic_year_end,
})
export const stopRolloverInput = input({ reason })
export const uploadQuery = query({ name: optional(field.text('The name of the file.', 'grades.xlsx')) })
