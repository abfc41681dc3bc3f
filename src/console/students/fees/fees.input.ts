import { structureInput } from '../../../fees/structures/structure.schemas.ts'
import { field, input, optional } from '../../../http/wire/input.ts'
import { SCHOOL_YEAR, STUDENT_ID, studentFields } from '../../../students/student.input.ts'

/** A student as the office adds one: what it may not know yet is optional. */
export const addStudentInput = input(
  {
    ...studentFields,
    primary_contact_email: optional(studentFields.primary_contact_email, ''),
    date_of_birth: optional(studentFields.date_of_birth),
    new_admission: optional(studentFields.new_admission, false),
  },
  SCHOOL_YEAR,
)

/** Lowering fees for many at once asks for a reason. */
export const WHY_LOWER = optional(
  field.text('Why; required where a second person has to approve it.', 'As the board decided'),
  '',
)

export const setStructureInput = input({ ...structureInput.fields, reason: WHY_LOWER })

export const dropStructureInput = input({ reason: WHY_LOWER })

export const applyInput = input({
  grade: field.code('The class whose students get the fees.', '5'),
  preview: optional(field.flag('true: only say what would happen.', false), false).as('isPreview'),
  after: optional(field.resourceId('`next_after` of the part before, in a large class.', STUDENT_ID)),
  reason: WHY_LOWER,
  limit: optional(field.wholeNumber('At most so many students at once.', 3000, [1, 3000]), 3000),
})

export const erpLockInput = input({
  locked: field.flag('Whether students that the ERP keeps are locked for the office.', true).as('isLocked'),
})
