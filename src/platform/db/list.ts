import type { Queryable, Transaction } from './database.ts'
import type { Query } from './query.ts'
import { assert } from '../assert.ts'
import { badField } from '../errors.ts'
import { addAll } from '../lists.ts'

/**
 * A condition with its values, numbered from `$1` as if it stood alone: `['o.created_at >= $1', from]`. `$0` is the first
 * value of the statement, its institute. One of which a value is undefined was not asked for and is left out, so the
 * planner sees only what has to hold.
 */
export type Condition = readonly [text: string, ...values: unknown[]] | false | undefined

export type Page<Row> = { rows: Row[]; nextCursor: string | undefined }

export type PageRange = { cursor?: string | undefined; limit: number }

export type List = {
  /** The select list, the row's `id` among it. */
  select: string
  /** Values of placeholders in the select list. */
  values?: readonly unknown[]
  /** The table whose rows are listed, with its alias: `orders o`. */
  from: string
  join?: string
  /** What makes a row one of this list. A cursor has to fulfil it too. */
  scope: readonly Condition[]
  filters?: readonly Condition[]
  /** Columns of `from` that no two rows of the list have in common. */
  order: readonly string[]
  direction: 'asc' | 'desc'
  /** The row's property that holds its id, if that is not `id`. */
  key?: string
  /** The condition for the row that a cursor names, where it is not an `id`; null for a text that names none. */
  rowOf?(cursor: string): Condition | null
  /**
   * Rows may be deleted between two pages. The cursor, then the only column of the order, is compared as it is and is a
   * place rather than a row of the list.
   */
  isPurged?: true
  /**
   * It grows with every payment. How long a page is, is hidden from the planner behind that of the longest: if it
   * saw it, it would take a plan made for these values to be cheaper, and make one each time for all months of the log.
   */
  isLog?: true
}

/** A page has 200 rows; one more tells whether there is another page. */
const MOST_ROWS = 201

/** A page by keyset: the cursor is the id of the last row shown. One that is not of this list is a 400. */
export async function list<Row extends object>(
  db: Queryable,
  definition: List,
  { cursor, limit }: PageRange,
): Promise<Page<Row>> {
  const { select, from, join = '', scope, filters = [], order, direction } = definition
  const values = [...(definition.values ?? [])]
  const alias = from.slice(from.lastIndexOf(' ') + 1)
  const key = order.map(column => `${alias}.${column}`)
  const isCursor = cursor === undefined ? undefined : rowOf(definition, alias, cursor)
  const inScope = allOf(values, scope)
  const conditions = [inScope, allOf(values, filters)]
  if (cursor !== undefined && definition.isPurged) {
    conditions.push(allOf(values, [[`${key.join(', ')} ${direction === 'asc' ? '>' : '<'} $1`, cursor]]))
  } else if (cursor !== undefined) {
    const [sign, columns] = [direction === 'asc' ? '>' : '<', key.join(', ')]
    const row = `select ${columns} from ${from} where ${inScope} and ${allOf(values, [isCursor])}`
    conditions.push(`(${columns}) ${sign} (${row})`)
  }
  const text = `select ${select} from ${from} ${join} where ${conditions.join(' and ')}
     order by ${key.map(column => `${column} ${direction}`).join(', ')}`
  const most = `limit $${values.push(limit + 1)}`
  assert(!definition.isLog || limit < MOST_ROWS, 'a page has 200 rows at most')
  const rows = await db.query<Row>(
    definition.isLog ? `select * from (${text} limit ${MOST_ROWS}) page ${most}` : `${text} ${most}`,
    values,
  )
  // Nothing comes after a row that does not exist, so only an empty page leaves the question open.
  if (cursor !== undefined && rows.length === 0 && !definition.isPurged)
    await checkCursor(db, from, [...scope, isCursor])
  return toPage(rows, limit, row => (row as Record<string, string>)[definition.key ?? 'id'] ?? '')
}

function rowOf(definition: List, alias: string, cursor: string): Condition {
  if (definition.rowOf === undefined) return [`${alias}.id = $1`, cursor]
  const row = definition.rowOf(cursor)
  if (row === null) throw badCursor()
  return row
}

/** The whole list as one statement, in its order. */
export function wholeList(definition: List): Query {
  const { select, from, join = '', scope, filters = [], order, direction } = definition
  const values = [...(definition.values ?? [])]
  const alias = from.slice(from.lastIndexOf(' ') + 1)
  const where = allOf(values, [...scope, ...filters])
  const by = order.map(column => `${alias}.${column} ${direction}`).join(', ')
  return { text: `select ${select} from ${from} ${join} where ${where} order by ${by}`, values }
}

async function checkCursor(db: Queryable, from: string, conditions: readonly Condition[]): Promise<void> {
  const values: unknown[] = []
  const found = await db.query(`select 1 from ${from} where ${allOf(values, conditions)}`, values)
  if (found.length === 0) throw badCursor()
}

export function badCursor(): Error {
  return badField('cursor', 'is not a cursor of this list; use next_cursor of the page before')
}

/** The conditions that were asked for, joined by `and`; their values are added to those of the statement. */
export function allOf(values: unknown[], conditions: readonly Condition[]): string {
  const texts: string[] = []
  for (const condition of conditions) {
    if (condition === undefined || condition === false) continue
    const [text, ...own] = condition
    if (own.includes(undefined)) continue
    const before = values.length
    addAll(values, own)
    texts.push(
      `(${text.replaceAll(/\$(\d+)/g, (_, number: string) => `$${number === '0' ? 1 : before + Number(number)}`)})`,
    )
  }
  return texts.length === 0 ? 'true' : texts.join(' and ')
}

/** A page of what was read with one row too many, and where the next begins. */
export function toPage<Row>(found: readonly Row[], limit: number, cursorOf: (row: Row) => string): Page<Row> {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, nextCursor: found.length > limit && last !== undefined ? cursorOf(last) : undefined }
}

/** How many rows are in memory at once. */
const BATCH = 500

/** How many rows there are, counted no further than to one more than are allowed. */
export async function countRows(db: Queryable, { text, values }: Query, most: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from (select 1 from (${text}) rows limit ${most + 1}) counted`,
    values,
  )
  return row?.count ?? 0
}

/**
 * Reads a long answer a batch at a time, all of it as it stood when it was begun; requests come between the batches. A
 * transaction reads one such answer after another, to its end or to its own.
 */
export async function* readBatches<Row extends object>(
  tx: Transaction,
  { text, values }: Query,
): AsyncGenerator<Row[]> {
  // All rows are wanted, not the first ones soon.
  await tx.query('set local cursor_tuple_fraction = 1')
  await tx.query(`declare batches no scroll cursor for ${text}`, values)
  for (;;) {
    const rows = await tx.query<Row>(`fetch ${BATCH} from batches`)
    if (rows.length === 0) break
    yield rows
  }
  await tx.query('close batches')
}

/** All rows of a long answer, read as `readBatches` does. */
export async function readAll<Row extends object>(tx: Transaction, query: Query): Promise<Row[]> {
  const all: Row[] = []
  for await (const rows of readBatches<Row>(tx, query)) for (const row of rows) all.push(row)
  return all
}
