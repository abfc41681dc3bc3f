import type { Queryable } from '../../platform/db/database.ts'

/** A standby as the primary sees it; null figures: our user may not see them. */
export type Standby = {
  name: string
  state: string | null
  isSynchronous: boolean
  lagBytes: number | null
  lagSeconds: number | null
}

/** Lag of time is unknown while nothing is written, and nothing then. */
export async function readStandbys(db: Queryable): Promise<Standby[]> {
  return db.query<Standby>(
    `select coalesce(nullif(application_name, ''), client_addr::text, pid::text) as name, state,
       coalesce(sync_state in ('sync', 'quorum'), false) as "isSynchronous",
       case when replay_lsn is null then null else greatest(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn), 0)::float8 end as "lagBytes",
       case when replay_lsn is null then null else coalesce(extract(epoch from replay_lag), 0)::float8 end as "lagSeconds"
     from pg_stat_replication where not pg_is_in_recovery() order by 1`,
  )
}

/** A process by its connections; it says something every second. */
export type SeenProcess = { name: string; connections: number; since: Date; silentSeconds: number }

export async function readProcesses(db: Queryable): Promise<SeenProcess[]> {
  return db.query<SeenProcess>(
    `select application_name as name, count(*)::int as connections, min(backend_start) as since,
       greatest(extract(epoch from clock_timestamp() - max(state_change)), 0)::float8 as "silentSeconds"
     from pg_stat_activity where datname = current_database() and application_name like 'bursar/%'
     group by application_name order by application_name`,
  )
}

export type ServerState = {
  version: string
  isStandby: boolean
  bytes: number
  connections: number
  maxConnections: number
  /** Commits that wait for a synchronous standby at this moment. */
  waitingForStandby: number
  mode: string | null
}

/** Answers also where no Bursar was ever: then there is no mode. */
export async function readServerState(db: Queryable): Promise<ServerState> {
  const [row] = await db.query<ServerState & { hasSettings: boolean }>(
    `select current_setting('server_version') as version, pg_is_in_recovery() as "isStandby",
       pg_database_size(current_database())::float8 as bytes,
       (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
       (select count(*)::int from pg_stat_activity where wait_event = 'SyncRep') as "waitingForStandby",
       current_setting('max_connections')::int as "maxConnections",
       to_regclass('instance_settings') is not null as "hasSettings"`,
  )
  if (row === undefined) throw new Error('the database answered without a row')
  const { hasSettings, ...server } = row
  return { ...server, mode: hasSettings ? await readMode(db) : null }
}

async function readMode(db: Queryable): Promise<string | null> {
  const [row] = await db.query<{ value: string }>(`select value from instance_settings where key = 'mode'`)
  return row?.value ?? null
}

/** `bytes` counts indexes and partitions too; `rows` is the planner's estimate. */
export type TableSize = { name: string; rows: number; bytes: number }

/** The largest first. */
export async function readTableSizes(db: Queryable): Promise<TableSize[]> {
  return db.query<TableSize>(
    `select coalesce(pg_partition_root(c.oid)::oid, c.oid)::regclass::text as name,
       sum(case when c.reltuples < 0 then pg_stat_get_live_tuples(c.oid) else c.reltuples end)::float8 as rows,
       sum(pg_total_relation_size(c.oid))::float8 as bytes
     from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
     group by 1 order by bytes desc, name`,
  )
}
