import { escapeIdentifier } from 'pg'
import type { Queryable } from '../../platform/db/database.ts'
import type { Table } from './catalogue.store.ts'
import type { Fingerprint } from './move.rules.ts'

/** What was true of the rows of a school before some moment: every version of a row that is older than `horizon`. */
type Baseline = { horizon: string; prints: ReadonlyMap<string, Fingerprint> }
export type Baselines = { source: Baseline; target: Baseline }

/** Several to each side, for what is to be done quickly. */
type Connections = { source: readonly Queryable[]; target: readonly Queryable[] }

const IS_OLD = 'age(xmin) > age($2::xid)'

const hashOf = ({ columns }: Table): string =>
  `hashtextextended(row(${columns.map(escapeIdentifier).join(', ')})::text, 0)`

/** Hashes the rows of both sides as they are now, so that in the pause only those are hashed that were written since. */
export async function takeBaselines(
  { source, target }: Connections,
  schoolId: number,
  tables: readonly Table[],
): Promise<Baselines> {
  const [here, there] = await Promise.all([
    takeBaseline(source, schoolId, tables),
    takeBaseline(target, schoolId, tables),
  ])
  return { source: here, target: there }
}

/** A transaction that runs at this moment is younger than the horizon, and its rows are hashed later. */
async function takeBaseline(
  connections: readonly Queryable[],
  schoolId: number,
  tables: readonly Table[],
): Promise<Baseline> {
  const [db] = connections
  const [row] = (await db?.query<{ horizon: string }>(
    'select pg_snapshot_xmin(pg_current_snapshot())::xid::text as horizon',
  )) ?? [undefined]
  if (row === undefined) throw new Error('the database did not answer')
  const { horizon } = row
  const prints = await onEach(connections, tables, async (one, table) => {
    const [found] = await one.query<{ rows: number; hash: string }>(
      `select count(*) as rows, coalesce(sum(${hashOf(table)}), 0)::text as hash
       from ${escapeIdentifier(table.name)} where institute_id = $1 and ${IS_OLD}`,
      [schoolId, horizon],
    )
    return { table: table.name, rows: found?.rows ?? 0, hash: found?.hash ?? '0' }
  })
  return { horizon, prints: new Map(prints.map(print => [print.table, print])) }
}

/** A table of which no old row was changed or deleted is what it was, and what was added. */
async function fingerprint(
  db: Queryable,
  schoolId: number,
  table: Table,
  { horizon, prints }: Baseline,
): Promise<Fingerprint> {
  const { name } = table
  const [since] = await db.query<{ old: number; added: number; hash: string }>(
    `select count(*) filter (where ${IS_OLD}) as old, count(*) filter (where not ${IS_OLD}) as added,
       coalesce(sum(${hashOf(table)}) filter (where not ${IS_OLD}), 0)::text as hash
     from ${escapeIdentifier(name)} where institute_id = $1`,
    [schoolId, horizon],
  )
  const before = prints.get(name)
  if (since !== undefined && since.old === before?.rows)
    return {
      table: name,
      rows: since.old + since.added,
      hash: String(BigInt(before.hash) + BigInt(since.hash)),
    }
  const [found] = await db.query<{ rows: number; hash: string }>(
    `select count(*) as rows, coalesce(sum(${hashOf(table)}), 0)::text as hash
     from ${escapeIdentifier(name)} where institute_id = $1`,
    [schoolId],
  )
  return { table: name, rows: found?.rows ?? 0, hash: found?.hash ?? '' }
}

/** Uses several connections to each side, because nobody can write meanwhile. */
export async function fingerprintBoth(
  { source, target }: Connections,
  schoolId: number,
  tables: readonly Table[],
  baselines: Baselines,
): Promise<[here: Fingerprint[], there: Fingerprint[]]> {
  return Promise.all([
    onEach(source, tables, (db, table) => fingerprint(db, schoolId, table, baselines.source)),
    onEach(target, tables, (db, table) => fingerprint(db, schoolId, table, baselines.target)),
  ])
}

async function onEach(
  connections: readonly Queryable[],
  tables: readonly Table[],
  work: (db: Queryable, table: Table) => Promise<Fingerprint>,
): Promise<Fingerprint[]> {
  const left = [...tables]
  const found: Fingerprint[] = []
  const workOff = async (db: Queryable): Promise<void> => {
    for (let table = left.shift(); table !== undefined; table = left.shift())
      found.push(await work(db, table))
  }
  await Promise.all(connections.map(workOff))
  return found
}

/** The balance of each account of the ledger, as text. */
export async function readBalances(db: Queryable, schoolId: number): Promise<string> {
  const rows = await db.query<{ account: string; balance: string }>(
    `select account, sum(paise)::text as balance from (
       select destination as account, amount_paise as paise from ledger_transfers where institute_id = $1
       union all select source, -amount_paise from ledger_transfers where institute_id = $1) t
     group by account order by account`,
    [schoolId],
  )
  return rows.map(({ account, balance }) => `${account} ${balance}`).join(', ')
}
