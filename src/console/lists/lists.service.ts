import type { Context } from '../../platform/context.ts'
import { badCursor, toPage, type Page } from '../../platform/db/list.ts'
import { badField } from '../../platform/errors.ts'
import type { Query } from '../money/query.ts'
import { countRows } from '../reports/cursor.store.ts'
import { readPlace, sortOf, writePlace, type Sorting } from './sorting.rules.ts'
import { listSorted, sortedQuery } from './sorting.store.ts'

/** As far as rows are counted, and as many as are sorted while somebody waits. */
const MOST = 25_000

export type Count = { count: number; isMore: boolean }

export async function countList({ db }: Context, query: Query | null): Promise<Count> {
  if (query === null) return { count: 0, isMore: false }
  const count = await countRows(db, query, MOST)
  return { count: Math.min(count, MOST), isMore: count > MOST }
}

type Asked = { sort: string; cursor?: string | undefined; limit: number }

/** A page of the list in the order that was asked for. */
export async function listInOrder<Row extends object>(
  { db }: Context,
  query: Query | null,
  sorting: Sorting,
  { sort: name, cursor, limit }: Asked,
): Promise<Page<Row>> {
  if (query === null) return { rows: [], nextCursor: undefined }
  const sort = sortOf(sorting, name)
  const after = cursor === undefined ? undefined : readPlace(cursor, sort.column)
  if (after === null) throw badCursor()
  const found = await listSorted<Row>(
    db,
    query,
    { ...sort, key: sorting.key },
    { after, limit: limit + 1, most: MOST },
  )
  if (found.isTooLong) throw tooLong()
  return toPage(found.rows, limit, row => writePlace({ value: row.sortValue, key: row.sortKey }))
}

/** All of the list in that order, for a file. */
export function inOrder(query: Query | null, sorting: Sorting, name: string): Query | null {
  return query && sortedQuery(query, { ...sortOf(sorting, name), key: sorting.key })
}

function tooLong(): Error {
  const most = MOST.toLocaleString('en-IN')
  return badField(
    'sort',
    `works for at most ${most} rows and more fit. Narrow the filters, or remove the sorting.`,
  )
}
