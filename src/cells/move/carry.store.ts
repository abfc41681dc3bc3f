import { escapeIdentifier, type QueryResultRow } from 'pg'
import type { Table } from './catalogue.store.ts'
import type { Fingerprint } from './move.rules.ts'
import { CARRIED_BY_SCHOOL, OF_PEOPLE } from './tables.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'

/**
 * The school's own row, its keys, invitations and people are not replicated but carried in the switch. The old cell keeps a
 * copy in the schema of the move, from which the new cell gets it, so that a move that was killed can go on.
 */
const MEMBERS = 'select user_id from public.console_memberships where institute_id = $1'

/** Works for nobody else here: such a person leaves whole, with sessions, so that nothing stays that could grow old. */
const LEAVING = `select u.id from public.console_users u where u.id in (${MEMBERS}) and not u.is_operator
  and not exists (select from public.console_memberships m where m.user_id = u.id and m.institute_id <> $1)
  and not exists (select from public.console_lender_members l where l.user_id = u.id)`

/** Runs in the transaction in which the school leaves, which fires no triggers. All of it is sent at once, in this order. */
export async function takeAway(db: Queryable, schema: string, schoolId: number): Promise<void> {
  const sent: Promise<unknown>[] = []
  const send = (text: string, values: unknown[] = []): void => void sent.push(db.query(text, values))
  send(`create schema ${schema}`)
  // Who changes a password or a key at this moment is waited for.
  send(`select from public.institutes where id = $1 for update`, [schoolId])
  send(`select from public.console_users where id in (${MEMBERS}) for update`, [schoolId])
  const keep = (table: string, where: string): void => {
    send(`create table ${schema}.${table} as select * from public.${table} where false`)
    send(`insert into ${schema}.${table} select * from public.${table} where ${where}`, [schoolId])
  }
  send(`create table ${schema}.leaving_people (id text primary key)`)
  send(`insert into ${schema}.leaving_people ${LEAVING}`, [schoolId])
  for (const [table, { key, isCopied }] of Object.entries(OF_PEOPLE)) {
    const rows = isCopied ? MEMBERS : LEAVING
    keep(table, `${key} in (${rows})`)
  }
  for (const [table, column] of Object.entries(CARRIED_BY_SCHOOL)) keep(table, `${column} = $1`)
  for (const [table, { key }] of Object.entries(OF_PEOPLE).toReversed())
    send(`delete from public.${table} where ${key} in (select id from ${schema}.leaving_people)`)
  // Codes and challenges are good for minutes only, so they are deleted with their person and not carried.
  for (const table of ['console_unlock_codes', 'console_passkey_challenges'])
    send(`delete from public.${table} where user_id in (select id from ${schema}.leaving_people)`)
  for (const [table, column] of Object.entries(CARRIED_BY_SCHOOL).toReversed())
    send(`delete from public.${table} where ${column} = $1`, [schoolId])
  await Promise.all(sent)
}

/** The rows of a carried table, as JSON: it spells every type of ours so that the other side reads the same value. */
export type Carried = Readonly<Record<string, readonly QueryResultRow[]>>

export async function readCarried(db: Queryable, schema: string): Promise<Carried> {
  const tables = [...Object.keys(CARRIED_BY_SCHOOL), ...Object.keys(OF_PEOPLE)]
  const read = tables.map(async table => {
    const rows = await db.query<{ row: string }>(`select to_json(t)::text as row from ${schema}.${table} t`)
    return [table, rows.map(({ row }) => JSON.parse(row) as QueryResultRow)] as const
  })
  return Object.fromEntries(await Promise.all(read))
}

type Insert = { table: string; rows: readonly QueryResultRow[]; columns: readonly string[]; isNew?: boolean }

async function insertRows(db: Queryable, { table, rows, columns, isNew = false }: Insert): Promise<void> {
  if (rows.length === 0) return
  const list = columns.map(column => `"${column}"`).join(', ')
  await db.query(
    `insert into ${table} (${list}) overriding system value
     select ${list} from json_populate_recordset(null::${table}, $1::json) ${isNew ? '' : 'on conflict do nothing'}`,
    [JSON.stringify(rows)],
  )
}

/**
 * Gives the school its row, keys and people, in the transaction in which it arrives. A person whose e-mail address is known
 * here works on with the account that is here; answers how many came and how many were known.
 */
export async function bring(
  db: Queryable,
  carried: Carried,
  tables: readonly Table[],
  schoolId: number,
): Promise<{ people: number; known: number }> {
  const columnsOf = new Map(tables.map(({ name, columns }) => [name, columns]))
  const insert = (table: string, rows: readonly QueryResultRow[], isNew = false): Promise<void> =>
    insertRows(db, { table, rows, columns: columnsOf.get(table) ?? [], isNew })
  const rowsOf = (table: string): readonly QueryResultRow[] => carried[table] ?? []

  const people = rowsOf('console_users')
  const known = await findKnown(db, people)
  const newcomers = (column: string) => (row: QueryResultRow) => !known.has(String(row[column]))
  // Who looks after one cell does not thereby look after another.
  const accounts = people.filter(newcomers('id')).map(person => ({ ...person, is_operator: false }))
  const memberships = rowsOf('console_memberships').map(row => ({
    ...row,
    user_id: known.get(String(row['user_id'])) ?? row['user_id'],
  }))
  const others = Object.entries(OF_PEOPLE).filter(([table]) => table !== 'console_users')
  // Sent at once, in this order.
  await Promise.all([
    insert('institutes', rowsOf('institutes'), true),
    insert('console_users', accounts, true),
    ...others.map(([table, { key }]) => insert(table, rowsOf(table).filter(newcomers(key)))),
    insert('api_keys', rowsOf('api_keys'), true),
    insert('console_invitations', rowsOf('console_invitations'), true),
    insert('console_memberships', memberships),
    renamePeople(db, schoolId, known),
  ])
  return { people: people.length, known: known.size }
}

/** Ids of the old cell and the accounts here that are the same people. */
async function findKnown(db: Queryable, people: readonly QueryResultRow[]): Promise<Map<string, string>> {
  const rows = await db.query<{ was: string; is: string }>(
    `select p.id as was, u.id as is from json_to_recordset($1::json) as p (id text, email text)
     join console_users u on u.id = p.id or u.email = p.email order by u.id = p.id`,
    [JSON.stringify(people.map(({ id, email }) => ({ id, email })))],
  )
  return new Map(rows.map(({ was, is }) => [was, is]))
}

/** Columns by which Bursar decides who somebody is; texts that name a person stay as they were written. */
const NAMED_BY_ID = [
  ['approvals', 'maker_id'],
  ['approvals', 'decider_id'],
  ['console_views', 'user_id'],
] as const

async function renamePeople(
  db: Queryable,
  schoolId: number,
  known: ReadonlyMap<string, string>,
): Promise<void> {
  const others = [...known].filter(([was, is]) => was !== is)
  const renamed = NAMED_BY_ID.flatMap(([table, column]) =>
    others.map(names =>
      db.query(`update ${table} set ${column} = $3 where institute_id = $1 and ${column} = $2`, [
        schoolId,
        ...names,
      ]),
    ),
  )
  await Promise.all(renamed)
}

/** Fingerprints of a school's rows as of some moment: of every version of a row that is older than `horizon`. */
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

/** Uses several connections to each side, because nobody can write meanwhile; the longest tables are spread over them first. */
export async function fingerprintBoth(
  { source, target }: Connections,
  schoolId: number,
  tables: readonly Table[],
  baselines: Baselines,
): Promise<[here: Fingerprint[], there: Fingerprint[]]> {
  const rowsOf = ({ name }: Table): number => baselines.source.prints.get(name)?.rows ?? 0
  const sorted = tables.toSorted((one, other) => rowsOf(other) - rowsOf(one))
  return Promise.all([
    onEach(source, sorted, (db, table) => fingerprint(db, schoolId, table, baselines.source)),
    onEach(target, sorted, (db, table) => fingerprint(db, schoolId, table, baselines.target)),
  ])
}

/** Of the same tables each has the same connection again, which knows then how to read it. */
function onEach(
  connections: readonly Queryable[],
  tables: readonly Table[],
  work: (db: Queryable, table: Table) => Promise<Fingerprint>,
): Promise<Fingerprint[]> {
  return Promise.all(tables.map((table, index) => work(connections[index % connections.length]!, table)))
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
