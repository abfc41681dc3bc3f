import pg from 'pg'
import type { Database } from '../../../src/platform/db/database.ts'
import { nodes, withoutCitus } from './databases.ts'

/** What a test asks or does that one PostgreSQL has in one place, and a Citus on its nodes. */
type Ask = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>
export type Asked = {
  query: Ask
  transaction<Result>(work: (tx: { query: Ask }) => Promise<Result>): Promise<Result>
}

const NOT_SUPPORTED = '0A000'
const IS_QUESTION = /^[\s(]*(select|with)\b/i
const CHANGE = /^\s*(update|delete from) (\w+)/i

/** Asks and changes as a test does: over all schools, by any join. What Citus refuses is done in another way. */
export async function askOverAll<Row extends pg.QueryResultRow>(
  db: Asked,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  try {
    return await db.query<Row>(text, values)
  } catch (error) {
    if (withoutCitus() || !isRefused(error)) throw error
    const [, verb, table] = CHANGE.exec(text) ?? []
    if (verb !== undefined && table !== undefined) return changeShards(db, table, text, values)
    if (!IS_QUESTION.test(text)) throw error
    return db.transaction(async tx => {
      await copyTables((copying, named) => tx.query(copying, named), text)
      return tx.query<Row>(text, values)
    })
  }
}

function isRefused(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  return error.code === NOT_SUPPORTED || error.message.includes('requires repartitioning')
}

/** Changes a table shard by shard. */
async function changeShards(db: Asked, table: string, text: string, values: unknown[]): Promise<never[]> {
  const whole = text
    .replaceAll('%', '%%')
    .replace(/\$(\d+)/g, (_, no) => pg.escapeLiteral(String(values[Number(no) - 1])))
    .replace(CHANGE, '$1 %1$$s')
  const done = await db.query<{ success: boolean; result: string }>(
    'select success, result from run_command_on_shards($1, $2)',
    [table, whole],
  )
  const failed = done.find(({ success }) => !success)
  if (failed !== undefined) throw new Error(failed.result)
  return []
}

type Relation = { name: string; view: string | null }

/** Copies that are found before the tables themselves, with all rows of those that the text names. */
async function copyTables(ask: Ask, text: string): Promise<void> {
  const relations = await ask<Relation>(
    `select relname as name, case when relkind = 'v' then pg_get_viewdef(oid) end as view from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') and not relispartition`,
  )
  const made = new Set<string>()
  const copy = async (part: string): Promise<void> => {
    for (const { name, view } of relations) {
      if (made.has(name) || !new RegExp(`\\b${name}\\b`).test(part)) continue
      made.add(name)
      if (view !== null) await copy(view)
      await ask(
        view === null
          ? `create temporary table ${name} on commit drop as select * from public.${name}`
          : `create temporary view ${name} as ${view}`,
      )
    }
  }
  await copy(text)
}

/** How many transactions wait for a lock of another, at any node. */
export async function countWaiting(db: Database): Promise<number> {
  const waiting = `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const [row] = await db.query<{ waiting: number }>(
    withoutCitus()
      ? `select (${waiting}) as waiting`
      : `select sum(result::int)::int as waiting from run_command_on_all_nodes($$${waiting}$$)`,
  )
  return row?.waiting ?? 0
}

const HELD = 77_001

/**
 * Lets nobody write a row of the table until what is answered is called. By a trigger and a lock at every node: a row of a
 * shared table that one locks at the coordinator is not locked for what is written at a worker.
 */
export async function holdWrites(db: Database, url: string, table: string): Promise<() => Promise<void>> {
  await db.query(`create or replace function wait_here() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(${HELD}); return new; end $$`)
  await db.query(
    `create or replace trigger wait_here before insert or update on ${table} for each row execute function wait_here()`,
  )
  const clients = nodes(url).map(connectionString => new pg.Client({ connectionString }))
  for (const client of clients) {
    client.on('error', () => {})
    await client.connect()
    await client.query(`select pg_advisory_lock(${HELD})`)
  }
  return async () => {
    for (const client of clients) await client.end()
  }
}

/** What a commit is refused with: of the words of a shard Citus hands on none. */
export function refusedCommit(words: RegExp): RegExp {
  return withoutCitus() ? words : /could not commit transaction|briefly unavailable/
}
