import { field, optional } from '../../http/wire/input.ts'
import { defaulterList } from '../reports/dues.list.ts'
import { studentList } from '../students/student.list.ts'

const MOST_PICKED = 500

/** Whom an act in bulk is for: those that were picked, or all that a list shows with its filters. */
export const selectionFields = {
  student_ids: optional(
    field.list(
      'Those that were picked.',
      field.resourceId('A student.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da'),
      {
        max: MOST_PICKED,
      },
    ),
  ),
  list: optional(field.oneOf(['defaulters', 'students'], 'All that this list shows.')),
  ...defaulterList.filterQuery.fields,
  ...studentList.filterQuery.fields,
}
