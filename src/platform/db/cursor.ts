import type { Queryable, Transaction } from './database.ts'
import type { Query } from './query.ts'

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
