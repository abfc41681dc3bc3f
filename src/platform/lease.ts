import { eachByItself } from './each.ts'
import type { Queryable } from './db.ts'
import type { Ground } from './ground.ts'

/**
 * Rows of a table that something outside has to be asked about, each when its own moment comes. Taking a row pushes
 * that moment away: this is the lease. Whoever dies over a row leaves it to fall due again; whoever learns the end of
 * it sets the moment to null.
 */
export type Leased<Row> = {
  claim(db: Queryable, now: Date, until: Date, limit: number): Promise<Row[]>
  nextDue(db: Queryable): Promise<Date | null>
}

/** The names are constants of a store: its table, the moment's column and the counter's. */
export function leased<Row extends Record<string, unknown>>(names: {
  table: string
  dueAt: string
  tries: string
  columns: string
}): Leased<Row> {
  const { table, dueAt, tries, columns } = names
  return {
    claim: (db, now, until, limit) =>
      db.query<Row>(
        `update ${table} set ${dueAt} = $2, ${tries} = ${tries} + 1
         where (institute_id, id) in (
           select institute_id, id from ${table} where ${dueAt} <= $1
           order by ${dueAt} limit $3 for update skip locked)
         returning ${columns}`,
        [now, until, limit],
      ),
    async nextDue(db) {
      const [row] = await db.query<{ at: Date | null }>(
        `select min(${dueAt}) as at from ${table} where ${dueAt} is not null`,
      )
      return row?.at ?? null
    },
  }
}

const LEASE_MS = 60_000

/** Acts on those that are due, each by itself; answers how many there were. */
export async function actOnDue<Row>(
  { db, clock }: Pick<Ground, 'db' | 'clock'>,
  rows: Leased<Row>,
  limit: number,
  act: (row: Row) => Promise<void>,
): Promise<number> {
  const now = clock.now()
  const claimed = await rows.claim(db, now, new Date(now.getTime() + LEASE_MS), limit)
  await eachByItself(claimed, act)
  return claimed.length
}
