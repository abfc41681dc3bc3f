import { field, input, optional, query } from '../../../http/wire/input.ts'
import { WHY_LOWER } from '../fees/fees.input.ts'
import { ROSTER_STATES } from '../../../imports/kinds/roster/roster.rules.ts'

const ROSTER_ID = 'imp_01k9zq4m0ve8sbn6yt2hw3c5da'

export const uploadQuery = query({
  name: optional(field.text('What the file is called.', 'class-5.xlsx', 200)),
  columns: field.text(
    'A JSON list: for each column of the file the field that it holds, `fee:` and the code of a fee, or null.',
    '["identifier","fullname","grade","primary_contact_number","fee:TUITION_FEE",null]',
    6_000,
  ),
  academic_year_start: field.year('Start of the academic year that the list is of.', 2026),
  academic_year_end: field.year('Its end.', 2027),
})

export const startRosterInput = input({ reason: WHY_LOWER })

export const rosterParams = input({ roster_id: field.resourceId('Id of the list.', ROSTER_ID) })

const filters = { state: optional(field.oneOf(ROSTER_STATES, 'Only in this state.')) }
export const rosterFilters = query(filters)
export const rostersQuery = query({
  ...filters,
  limit: field.pageSize(),
  cursor: field.cursor(ROSTER_ID),
})
