import { field, input, optional, query } from '../../../http/wire/input.ts'
import { badField } from '../../../platform/errors.ts'
import { WHY_LOWER } from '../fees/fees.input.ts'
import { feeCodeOf, ROSTER_FIELDS, ROSTER_STATES } from '../../../imports/kinds/roster/roster.rules.ts'

const ROSTER_ID = 'imp_01k9zq4m0ve8sbn6yt2hw3c5da'

export const columnsQuery = query({
  name: optional(field.text('The name of the file.', 'class-5.xlsx', 200)),
})

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

const FIELDS: ReadonlySet<string> = new Set(ROSTER_FIELDS)
const LONGEST_CODE = 64

export function parseColumns(text: string): (string | null)[] {
  let names: unknown
  try {
    names = JSON.parse(text)
  } catch {
    names = null
  }
  if (!Array.isArray(names)) throw badField('columns', 'must be a JSON list')
  return names.map((name: unknown, index) => {
    if (name === null) return null
    const code = typeof name === 'string' ? feeCodeOf(name) : null
    const isFee = code !== null && code !== '' && code.length <= LONGEST_CODE && code.trim() === code
    if (typeof name === 'string' && (isFee || FIELDS.has(name))) return name
    throw badField('columns', `does not know what column ${index + 1} is`)
  })
}

export const rosterParams = input({ roster_id: field.resourceId('Id of the list.', ROSTER_ID) })

export const rostersQuery = query({
  state: optional(field.oneOf(ROSTER_STATES, 'Only in this state.')),
  limit: field.pageSize(),
  cursor: field.cursor(ROSTER_ID),
})
