import { field, optional, query } from '../../http/wire/input.ts'
import { feeCodeOf } from '../../imports/kinds/matched-columns.rules.ts'
import type { DayForm } from '../../imports/files/days.rules.ts'
import { badField } from '../../platform/errors.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { FoundColumn } from '../../imports/match-columns.service.ts'

export const columnsQuery = query({
  name: optional(field.text('The name of the file.', 'class-5.xlsx', 200)),
})

export const SENT_DAYS = optional(
  field.text(
    'A JSON list: for each column whose days could be meant in two ways `dmy` (01/02/2015 is 1 February) or `mdy`, else null.',
    '[null,null,"dmy"]',
    2_000,
  ),
)

const LONGEST_CODE = 64

/** A JSON list of these fields, `fee:` and the code of a fee, or null. */
export function parseColumns(text: string, fields: readonly string[]): (string | null)[] {
  return parseList('columns', text).map((name: unknown, index) => {
    if (name === null) return null
    const code = typeof name === 'string' ? feeCodeOf(name) : null
    const isFee = code !== null && code !== '' && code.length <= LONGEST_CODE && code.trim() === code
    if (typeof name === 'string' && (isFee || fields.includes(name))) return name
    throw badField('columns', `does not know what column ${index + 1} is`)
  })
}

export function parseDays(text: string | undefined): (DayForm['yearLast'] | null)[] {
  return parseList('days', text ?? '[]').map(form => {
    if (form === null || form === 'dmy' || form === 'mdy') return form
    throw badField('days', 'must have dmy, mdy or null for each column')
  })
}

function parseList(key: string, text: string): unknown[] {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    list = null
  }
  if (!Array.isArray(list)) throw badField(key, 'must be a JSON list')
  return list
}

const column = outputOf<FoundColumn>()
const columnOutput = column.object({
  title: column.text('Its heading.', 'Adm No'),
  samples: column.texts('What stands in its first rows.', ['ADM-1042']),
  open_day: column.optional.text(
    'A day of it that could be meant in two ways, where nothing in the column says which.',
    '01/02/2015',
  ),
  guess: column.optional.text('The field that it probably holds.', 'identifier'),
})
const found = outputOf<FoundColumn[]>()
export const fileColumnsOutput = found.object({
  columns: found.list('The columns of the file, from left to right.', columnOutput, all => all),
})
export type FileColumnsAnswer = Shown<typeof fileColumnsOutput>
