import type { Queryable } from '../../platform/db/database.ts'
import type { TableFacts } from './tables.rules.ts'

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
export type Standing = {
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

export async function readStanding(db: Queryable): Promise<Standing> {
  const [row] = await db.query<Standing>(
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
