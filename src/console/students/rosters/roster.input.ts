import { field, input, nullable, optional, query } from '../../../http/wire/input.ts'
import { SENT_DAYS } from '../../lists/file-columns.schemas.ts'
import { WHY_LOWER } from '../fees/fees.input.ts'

const ROSTER_ID = 'imp_01k9zq4m0ve8sbn6yt2hw3c5da'

export const uploadQuery = query({
  name: optional(field.text('What the file is called.', 'class-5.xlsx', 200)),
  columns: field.text(
    'A JSON list: for each column of the file the field that it holds, `fee:` and the code of a fee, or null.',
    '["identifier","fullname","grade","primary_contact_number","fee:TUITION_FEE",null]',
    6_000,
  ),
  days: SENT_DAYS,
  academic_year_start: field.year('Start of the academic year that the list is of.', 2026),
  academic_year_end: field.year('Its end.', 2027),
})

export const startRosterInput = input({ reason: WHY_LOWER })

export const rosterParams = input({ roster_id: field.resourceId('Id of the list.', ROSTER_ID) })

const MOST_CORRECTIONS = 200
const SUMMARY = field.text('The problem, as its group names it.', 'is not understood as a day', 500)

export const problemsQuery = query({
  column: optional(field.text('Only in this column.', 'date_of_birth', 100)),
  summary: optional(SUMMARY),
  limit: field.pageSize(),
  cursor: field.cursor('17-3'),
})

const correction = input({
  column: field.text('The field or fee.', 'date_of_birth', 100),
  row_no: nullable(
    optional(field.wholeNumber('The row; absent: every row of the group.', 17, [1, 1_048_576])),
  ),
  summary: nullable(optional(SUMMARY)),
  value: optional(field.text('What is read in place of the cell; absent: nothing.', '2016-02-27'), ''),
})

export const correctRosterInput = input({
  corrections: field.list('What is read in place of cells.', correction, { min: 1, max: MOST_CORRECTIONS }),
})
