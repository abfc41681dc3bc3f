import type { Queryable } from '../../platform/db/database.ts'
import type { Query } from '../money/query.ts'
import type { Sort, SortedPlace } from './sorting.rules.ts'

type Sorted<Row> = { rows: (Row & { sortValue: string; sortKey: string })[]; isTooLong: boolean }

const TYPES = { number: 'bigint', text: 'text' }

/**
 * A page of a list in another order than its own. No index has that order, so all rows that fit are read and the first
 * ones kept; of a list of more than `most` nothing is.
 */
export async function listSorted<Row extends object>(
  db: Queryable,
  { text, values }: Query,
  { column, direction, key }: Sort & { key: string },
  { after, limit, most }: { after: SortedPlace | undefined; limit: number; most: number },
): Promise<Sorted<Row>> {
  const all = [...values]
  const past =
    after === undefined
      ? 'true'
      : `("sortValue", "sortKey") ${direction === 'asc' ? '>' : '<'}
         ($${all.push(after.value)}::text::${TYPES[column.kind]}, $${all.push(after.key)}::text)`
  const rows = await db.query<Row & { sortValue: string; sortKey: string; size: number }>(
    `with fits as materialized (
       select q.*, ${column.sql} as "sortValue", ${key}::text as "sortKey" from (${text}) q limit ${most + 1}
     )
     select fits.*, "sortValue"::text as "sortValue", size.size
     from fits cross join (select count(*) as size from fits) size where ${past}
     order by fits."sortValue" ${direction}, fits."sortKey" ${direction} limit $${all.push(limit)}`,
    all,
  )
  return { rows, isTooLong: (rows[0]?.size ?? 0) > most }
}

export function sortedQuery(
  { text, values }: Query,
  { column, direction, key }: Sort & { key: string },
): Query {
  const order = `${column.sql} ${direction}, ${key} ${direction}`
  return { text: `select q.* from (${text}) q order by ${order}`, values }
}
