import pg from 'pg'
import type { Database } from '../../../src/platform/db/database.ts'

/** How many transactions wait for a lock of another. */
export async function countWaiting(db: Database): Promise<number> {
  const [row] = await db.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return row?.waiting ?? 0
}

const HELD = 77_001

/** Lets nobody write a row of the table until what is answered is called. By a trigger, so that everybody may still read. */
export async function holdWrites(db: Database, url: string, table: string): Promise<() => Promise<void>> {
  await db.query(`create or replace function wait_here() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(${HELD}); return new; end $$`)
  await db.query(
    `create or replace trigger wait_here before insert or update on ${table} for each row execute function wait_here()`,
  )
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  await client.query(`select pg_advisory_lock(${HELD})`)
  return () => client.end()
}
