import { field, input, optional, query } from '../../../http/wire/input.ts'
import { rolloverFields } from '../../../students/rollover/rollover.schemas.ts'

const reason = field.text('Why; stands in the audit log.', 'The year 2027-28 begins')

/** The API's own fields; a preview needs no reason. */
export const startRolloverInput = input({ ...rolloverFields, reason: optional(reason) })
export const stopRolloverInput = input({ reason })
export const uploadQuery = query({ name: optional(field.text('The name of the file.', 'grades.xlsx')) })
