import type { Queryable } from './database.ts'
import type { Query } from './query.ts'

/** A column that a list can be sorted by: an expression over the columns of the list's statement, never null. */
export type SortColumn = { sql: string; kind: 'number' | 'text' }

/** How a list can be sorted beside its own order. */
export type Sorting = {
  /** The column of the list's statement, quoted as there, that no two rows have in common. */
  key: string
  /** What decides between rows that are equal in the column, such as the name within a class; upwards in both directions. */
  tie?: SortColumn | undefined
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
  /** People look names up without minding capitals. */
  name: (sql: string) => asText(`lower(${sql})`),
  text: asText,
  /** Class 2 before class 10, and what has no number before all. */
  grade: (sql: string) => asText(`lpad(coalesce(substring((${sql}) from '\\d+'), ''), 6, '0') || (${sql})`),
  number: (sql: string): SortColumn => ({ sql: `coalesce(${sql}, 0)::bigint`, kind: 'number' }),
  day: (sql: string): SortColumn => ({
    sql: `coalesce((${sql})::date - date '2000-01-01', 0)::bigint`,
    kind: 'number',
  }),
  /** Rows without a moment sort before all others. */
  moment: (sql: string): SortColumn => ({
    sql: `coalesce((extract(epoch from ${sql}) * 1000000)::bigint, 0)`,
    kind: 'number',
  }),
}

/** The last row of a page: by its value, so that the next page is right also when that row has changed or gone. */
export type SortedPlace = { value: string; tie: string; key: string }

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

type RowPlace = { sortValue: string; sortTie: string; sortKey: string }

const TYPES = { number: 'bigint', text: 'text' }

/** A page of a list in another order than its own. No index has that order, so all rows that fit are read and the first ones kept. */
export async function listSorted<Row extends object>(
  db: Queryable,
  { text, values }: Query,
  { column, direction, key, tie }: Sort & Sorting,
  { after, limit }: { after: SortedPlace | undefined; limit: number },
): Promise<(Row & RowPlace)[]> {
  const all = [...values]
  const past = after === undefined ? 'true' : pastPlace(all, after, { column, direction })
  return db.query<Row & RowPlace>(
    `with fits as materialized (
       select q.*, ${column.sql} as "sortValue", ${tie?.sql ?? `''`} as "sortTie", ${key}::text as "sortKey"
       from (${text}) q
     )
     select fits.*, "sortValue"::text as "sortValue" from fits where ${past}
     order by fits."sortValue" ${direction}, fits."sortTie", fits."sortKey" limit $${all.push(limit)}`,
    all,
  )
}

function pastPlace(values: unknown[], { value, tie, key }: SortedPlace, { column, direction }: Sort): string {
  const at = `$${values.push(value)}::text::${TYPES[column.kind]}`
  const sign = direction === 'asc' ? '>' : '<'
  const places = `$${values.push(tie)}::text, $${values.push(key)}::text`
  return `("sortValue" ${sign} ${at} or "sortValue" = ${at} and ("sortTie", "sortKey") > (${places}))`
}

export function sortedQuery({ text, values }: Query, { column, direction, key, tie }: Sort & Sorting): Query {
  const order = [`${column.sql} ${direction}`, ...(tie === undefined ? [] : [tie.sql]), key].join(', ')
  return { text: `select q.* from (${text}) q order by ${order}`, values }
}

/** Keeps the rows of a list that were picked by their keys. */
export function pickedQuery({ text, values }: Query, { key }: Sorting, picked: readonly string[]): Query {
  const keys = `$${values.length + 1}::text[]`
  return {
    text: `select q.* from (${text}) q where (${key})::text = any(${keys})`,
    values: [...values, picked],
  }
}

/** The keys of all that fit, in the list's own order, and one more than `most` if there are more. */
export async function listKeys(
  db: Queryable,
  { text, values }: Query,
  { key }: Sorting,
  most: number,
): Promise<string[]> {
  const rows = await db.query<{ key: string }>(
    `select (${key})::text as key from (${text}) q limit ${most + 1}`,
    values,
  )
  return rows.map(row => row.key)
}
