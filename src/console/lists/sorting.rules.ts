/** A column that a list can be sorted by: an expression over the columns of the list's statement, never null. */
export type SortColumn = { sql: string; kind: 'number' | 'text' }

/** How a list can be sorted beside its own order. */
export type Sorting = {
  /** The column of the list's statement, quoted as there, that no two rows have in common. */
  key: string
  /** What decides between rows that are equal in the column, such as the name within a class; upwards in both directions. */
  tie?: SortColumn
  columns: Readonly<Record<string, SortColumn>>
}

export type Sort = { column: SortColumn; direction: 'asc' | 'desc' }

/** What `sort` of a list takes: a column, or with a minus before it the largest first. */
export function sortNames({ columns }: Sorting): readonly string[] {
  return Object.keys(columns).flatMap(name => [name, `-${name}`])
}

export function sortOf({ columns }: Sorting, name: string): Sort {
  const column = columns[name.replace(/^-/, '')]
  if (column === undefined) throw new Error(`a list has no column ${name} to sort by`)
  return { column, direction: name.startsWith('-') ? 'desc' : 'asc' }
}

/** How much of a text counts: a cursor holds the value of the last row. */
const LONGEST = 60
const asText = (sql: string): SortColumn => ({ sql: `left(coalesce(${sql}, ''), ${LONGEST})`, kind: 'text' })

export const by = {
  /** As people look names up: capitals count like small letters. */
  name: (sql: string) => asText(`lower(${sql})`),
  text: asText,
  /** Class 2 before class 10, and what has no number before all. */
  grade: (sql: string) => asText(`lpad(coalesce(substring((${sql}) from '\\d+'), ''), 6, '0') || (${sql})`),
  number: (sql: string): SortColumn => ({ sql: `coalesce(${sql}, 0)::bigint`, kind: 'number' }),
  day: (sql: string): SortColumn => ({
    sql: `coalesce((${sql})::date - date '2000-01-01', 0)::bigint`,
    kind: 'number',
  }),
  /** What has no moment comes before all that have one. */
  moment: (sql: string): SortColumn => ({
    sql: `coalesce((extract(epoch from ${sql}) * 1000000)::bigint, 0)`,
    kind: 'number',
  }),
}

export type SortedPlace = { value: string; tie: string; key: string }

/** The last row of a page: by its value, so that the next page is right also when that row has changed or gone. */
export function writePlace({ value, tie, key }: SortedPlace): string {
  return Buffer.from(JSON.stringify([value, tie, key])).toString('base64url')
}

const NUMBER = /^-?\d{1,18}$/

/** Null when it is none of this order. */
export function readPlace(cursor: string, { kind }: SortColumn): SortedPlace | null {
  const [value, tie, key, ...more] = parse(cursor)
  if (!isText(value) || !isText(tie) || !isText(key) || more.length > 0) return null
  return kind === 'text' || NUMBER.test(value) ? { value, tie, key } : null
}

function isText(part: unknown): part is string {
  return typeof part === 'string' && !part.includes('\0')
}

function parse(cursor: string): unknown[] {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(read) ? read : []
  } catch {
    return []
  }
}
