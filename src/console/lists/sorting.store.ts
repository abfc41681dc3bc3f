import type { Queryable } from '../../platform/db/database.ts'
import type { Query } from '../../platform/db/query.ts'
import type { Sort, SortedPlace, Sorting } from './sorting.rules.ts'

type Place = { sortValue: string; sortTie: string; sortKey: string }

const TYPES = { number: 'bigint', text: 'text' }

/** A page of a list in another order than its own. No index has that order, so all rows that fit are read and the first ones kept. */
export async function listSorted<Row extends object>(
  db: Queryable,
  { text, values }: Query,
  { column, direction, key, tie }: Sort & Sorting,
  { after, limit }: { after: SortedPlace | undefined; limit: number },
): Promise<(Row & Place)[]> {
  const all = [...values]
  const past = after === undefined ? 'true' : pastPlace(all, after, { column, direction })
  return db.query<Row & Place>(
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

/** Those of a list that were picked, by their keys. */
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
