import { field, optional, query } from '../../http/wire/input.ts'
import { feeCodeOf } from '../../imports/kinds/matched-columns.rules.ts'
import { badField } from '../../platform/errors.ts'

export const columnsQuery = query({
  name: optional(field.text('The name of the file.', 'class-5.xlsx', 200)),
})

const LONGEST_CODE = 64

/** A JSON list of these fields, `fee:` and the code of a fee, or null. */
export function parseColumns(text: string, fields: readonly string[]): (string | null)[] {
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
    if (typeof name === 'string' && (isFee || fields.includes(name))) return name
    throw badField('columns', `does not know what column ${index + 1} is`)
  })
}
