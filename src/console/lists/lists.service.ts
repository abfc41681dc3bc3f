import type { Context } from '../../platform/context.ts'
import { badCursor, toPage, type Page, countRows } from '../../platform/db/list.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import type { Query } from '../../platform/db/query.ts'
import type { Report } from '../reports/export.service.ts'
import { pickedIds } from './bulk.rules.ts'
import {
  readPlace,
  sortOf,
  writePlace,
  type Sorting,
  listKeys,
  listSorted,
  pickedQuery,
  sortedQuery,
} from '../../platform/db/sorted-list.ts'
import { newId } from '../../platform/ids.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import * as store from './views.store.ts'

/** Rows are counted so far, and so many are sorted while somebody waits. */
const MOST = 25_000

export type Count = { count: number; isMore: boolean }

export async function countList({ db }: Context, query: Query | null): Promise<Count> {
  if (query === null) return { count: 0, isMore: false }
  const count = await countRows(db, query, MOST)
  return { count: Math.min(count, MOST), isMore: count > MOST }
}

type ListRequest = { sort: string; cursor?: string | undefined; limit: number }

/** A page of the list in the order that was asked for. Whether it is too long is counted first, which is quick. */
export async function listInOrder<Row extends object>(
  ctx: Context,
  { query, counted }: Pick<Report<Row>, 'query' | 'counted'>,
  sorting: Sorting,
  { sort: name, cursor, limit }: ListRequest,
): Promise<Page<Row>> {
  if (query === null) return { rows: [], nextCursor: undefined }
  const sort = sortOf(sorting, name)
  const after = cursor === undefined ? undefined : readPlace(cursor, sort.column)
  if (after === null) throw badCursor()
  if ((await countList(ctx, counted ?? query)).isMore) throw tooLong()
  const found = await listSorted<Row>(ctx.db, query, { ...sort, ...sorting }, { after, limit: limit + 1 })
  return toPage(found, limit, row => writePlace({ value: row.sortValue, tie: row.sortTie, key: row.sortKey }))
}

/** A file has the picked rows or all that fit, in the order that is shown. */
export function forFile(
  query: Query | null,
  sorting: Sorting,
  { sort, picked }: { sort?: string | undefined; picked?: string | undefined },
): Query | null {
  if (query === null) return null
  const rows = picked === undefined ? query : pickedQuery(query, sorting, pickedIds(picked))
  return sort === undefined ? rows : sortedQuery(rows, { ...sortOf(sorting, sort), ...sorting })
}

/** An act in bulk is done for so many at once. */
const MOST_ACTED_ON = 10_000

/** The keys of all that fit, for an act on each of them. */
export async function listAll({ db }: Context, query: Query | null, sorting: Sorting): Promise<string[]> {
  const keys = query === null ? [] : await listKeys(db, query, sorting, MOST_ACTED_ON)
  const most = MOST_ACTED_ON.toLocaleString('en-IN')
  if (keys.length > MOST_ACTED_ON)
    throw conflict(`More than ${most} fit. Narrow the filters, and do it in parts.`)
  return keys
}

function tooLong(): Error {
  const most = MOST.toLocaleString('en-IN')
  return badField(
    'sort',
    `works for at most ${most} rows and more fit. Narrow the filters, or remove the sorting.`,
  )
}

export type { Owner, View } from './views.store.ts'

/** A person may save so many at one institute, over all lists. */
const MOST_VIEWS = 100

export async function listViews({ db }: Context, owner: store.Owner, list: string): Promise<store.View[]> {
  return store.listViews(db, owner, list, MOST_VIEWS)
}

/** A list's filters under a name; nobody else sees it, but its address works for everybody. */
export async function saveView(
  { db }: Context,
  command: Command<store.View>,
  owner: store.Owner,
  view: Omit<store.View, 'id'>,
): Promise<store.View> {
  return transact(db, command, async tx => {
    if ((await store.countViews(tx, owner)) >= MOST_VIEWS)
      throw conflict(`You have ${MOST_VIEWS} saved views here. Remove one that you no longer use.`)
    const saved = await store.saveView(tx, owner, { ...view, id: newId('view') })
    if (saved === null) throw notFound('This view')
    return saved
  })
}

export async function removeView(
  { db }: Context,
  command: Command<store.View>,
  owner: store.Owner,
  id: string,
): Promise<store.View> {
  return transact(db, command, async tx => {
    const removed = await store.deleteView(tx, owner, id)
    if (removed === null) throw notFound('This view')
    return removed
  })
}
