import { escapeIdentifier, type QueryResultRow } from 'pg'
import { type Fingerprint, CARRIED_BY_SCHOOL, OF_PEOPLE, type TableFacts } from './move.rules.ts'
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
export type CarriedRows = Readonly<Record<string, readonly QueryResultRow[]>>

export async function readCarried(db: Queryable, schema: string): Promise<CarriedRows> {
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
  carried: CarriedRows,
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
  ['personal_tokens', 'user_id'],
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

/** A table always goes to the same connection, which has its statement prepared by then. */
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

/** A table as the database describes it. */
export type Table = TableFacts & {
  /** Generated columns are left out; the order is the same in every cell. */
  columns: string[]
  /** Drawn from a sequence of the cell's own. */
  identity: string | null
  /** Until when a worker holds a row. */
  lease: string | null
}

export async function readTables(db: Queryable): Promise<Table[]> {
  return db.query<Table>(
    `select c.relname as name, c.relpersistence = 'p' as "isLogged",
       exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'institute_id' and not a.attisdropped)
         as "hasInstituteId",
       c.relreplident = 'f' or exists (select from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
         where i.indrelid = c.oid and a.attname = 'institute_id'
           and case c.relreplident when 'd' then i.indisprimary when 'i' then i.indisreplident else false end) as "isNamedByInstitute",
       array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
         and not a.attisdropped and a.attgenerated = '' order by a.attname) as columns,
       (select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attidentity <> '') as identity,
       (select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attname in ('held_until', 'claimed_until'))
         as lease
     from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
     order by c.relname`,
  )
}

/** The facts about a database that decide whether a school can leave it or arrive in it. */
export type DatabaseStanding = {
  migrations: string
  settings: { mode: string | null; masterKey: string | null; clockOffsetMs: number }
  role: string
  database: string
  walLevel: string
  /** Any server that follows counts as a synchronous standby. */
  waitsForAny: boolean
  /** Replication slots, and connections that replicate. */
  freeSlots: number
  freeSenders: number
  /** What applies and copies rows that arrive: workers of replication, workers at all, and places where they note how far they are. */
  freeAppliers: number
  freeWorkers: number
  freeOrigins: number
  /** How many tables are copied at once, each by a worker, a slot and a connection of its own. */
  copiesAtOnce: number
  mayCreate: boolean
  ownsTables: boolean
  mayReplicate: boolean
  maySubscribe: boolean
  mayActAsReplica: boolean
}

export async function readStanding(db: Queryable): Promise<DatabaseStanding> {
  const [row] = await db.query<DatabaseStanding>(
    `select coalesce((select string_agg(checksum, ',' order by version) from schema_migrations), '') as migrations,
       json_build_object(
         'mode', (select value from instance_settings where key = 'mode'),
         'masterKey', (select value from instance_settings where key = 'master_key_fingerprint'),
         'clockOffsetMs', coalesce((select value::numeric from instance_settings where key = 'clock_offset_ms'), 0)) as settings,
       current_user::text as role, current_database()::text as database,
       current_setting('wal_level') as "walLevel",
       current_setting('synchronous_standby_names') like '%*%' as "waitsForAny",
       current_setting('max_wal_senders')::int - (select count(*)::int from pg_stat_get_wal_senders()) as "freeSenders",
       current_setting('max_logical_replication_workers')::int - (select count(*)::int from pg_stat_subscription where pid is not null)
         as "freeAppliers",
       -- One of them starts the others.
       current_setting('max_worker_processes')::int - 1 - (select count(*)::int from pg_stat_subscription where pid is not null)
         as "freeWorkers",
       coalesce(current_setting('max_active_replication_origins', true), current_setting('max_replication_slots'))::int
         - (select count(*)::int from pg_replication_origin) as "freeOrigins",
       current_setting('max_sync_workers_per_subscription')::int as "copiesAtOnce",
       has_database_privilege(current_database(), 'create') as "mayCreate",
       not exists (select from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
         and not pg_has_role(relowner, 'usage')) as "ownsTables",
       current_setting('max_replication_slots')::int - (select count(*)::int from pg_replication_slots) as "freeSlots",
       (select rolsuper or rolreplication from pg_roles where rolname = current_user) as "mayReplicate",
       pg_has_role('pg_create_subscription', 'usage') as "maySubscribe",
       has_parameter_privilege('session_replication_role', 'set') as "mayActAsReplica"`,
  )
  if (row === undefined) throw new Error('the database did not answer')
  return row
}

export type School = { id: number; code: string }

export async function findSchool(db: Queryable, code: string): Promise<School | null> {
  const [row] = await db.query<School>('select id, code from institutes where code = $1', [code])
  return row ?? null
}

/** Whether a cell has a school with this id or this code. */
export async function hasSchool(db: Queryable, { id, code }: School): Promise<boolean> {
  return (await db.query('select from institutes where id = $1 or code = $2', [id, code])).length > 0
}

/** Lenders that a school's rows name and a cell does not have. */
export async function listLenders(db: Queryable, schoolId: number): Promise<string[]> {
  const rows = await db.query<{ lender: string }>(
    `select lender from institute_lenders where institute_id = $1
     union select lender from cred_applications where institute_id = $1 and lender <> 'sandbox'`,
    [schoolId],
  )
  return rows.map(({ lender }) => lender)
}

export async function findMissingLenders(db: Queryable, lenders: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ code: string }>(
    'select code from unnest($1::text[]) as code where code not in (select code from lenders)',
    [lenders],
  )
  return rows.map(({ code }) => code)
}

type Reference = { table: string; column: string; parent: string; key: string }

/**
 * Rows of a school that refer to a row which this cell does not have. Rows that were replicated are not checked by foreign
 * keys; those between them hold because the copy is equal, those to tables of the cell itself are looked at here.
 */
export async function findBrokenReferences(
  db: Queryable,
  schoolId: number,
  isChecked: (table: string, parent: string) => boolean,
): Promise<string[]> {
  const references = await db.query<Reference>(
    `select c.relname as "table", a.attname::text as "column", p.relname as parent, k.attname::text as key
     from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class p on p.oid = f.confrelid
     join pg_attribute a on a.attrelid = c.oid and a.attnum = f.conkey[1]
     join pg_attribute k on k.attrelid = p.oid and k.attnum = f.confkey[1]
     where f.contype = 'f' and cardinality(f.conkey) = 1 and not c.relispartition and c.relnamespace = 'public'::regnamespace`,
  )
  const checked = references.filter(({ table, parent }) => isChecked(table, parent))
  const broken = checked.map(async ({ table, column, parent, key }) => {
    const found = await db.query(
      `select from ${table} c where c.institute_id = $1 and c.${column} is not null
         and not exists (select from ${parent} p where p.${key} = c.${column}) limit 1`,
      [schoolId],
    )
    return found.length > 0 ? [`${table}.${column}`] : []
  })
  return (await Promise.all(broken)).flat()
}

/**
 * Numbers that the new cell draws from now on are above those that came along. A good way above, because others draw from
 * the sequence between the look at it and its change.
 */
export async function raiseIdentities(
  db: Queryable,
  tables: readonly Table[],
  schoolId: number,
): Promise<void> {
  const raise = async (name: string, identity: string): Promise<void> => {
    const [row] = await db.query<{ sequence: string; highest: number }>(
      `select pg_get_serial_sequence($2, $3) as sequence, coalesce(max(${identity}), 0) as highest from ${name} where institute_id = $1`,
      [schoolId, name, identity],
    )
    if (row === undefined || row.highest === 0) return
    await db.query(
      `select setval($1::regclass, $2::bigint + 10000) from ${row.sequence} where last_value < $2::bigint + 5000`,
      [row.sequence, row.highest],
    )
  }
  await Promise.all(tables.flatMap(({ name, identity }) => (identity === null ? [] : raise(name, identity))))
}

/** Workers that wait for a call look now. */
export async function wakeJobs(db: Queryable): Promise<void> {
  await db.query(
    `select pg_notify(name, '') from unnest(array['deliveries', 'imports', 'messages', 'receipts']) as name`,
  )
}
