import type { Queryable } from '../../platform/db/database.ts'
import type { People, ServerSettings } from './doctor.rules.ts'

export async function readServer(db: Queryable): Promise<ServerSettings & { now: Date }> {
  const [row] = await db.query<ServerSettings & { now: Date }>(
    `select current_setting('server_version_num')::int as "versionNumber", current_setting('fsync') as fsync,
       current_setting('full_page_writes') as "fullPageWrites", current_setting('synchronous_commit') as "synchronousCommit",
       current_setting('max_connections')::int as "maxConnections", clock_timestamp() as now`,
  )
  if (row === undefined) throw new Error('the database answered without a row')
  return row
}

export async function readPeople(db: Queryable): Promise<People> {
  const [row] = await db.query<People>(
    `select (select count(*)::int from institutes) as institutes,
       (select count(*)::int from console_users where is_operator and disabled_at is null) as operators,
       coalesce((select array_agg(code order by code) from institutes i where not exists (
         select from api_keys k where k.institute_id = i.id and k.revoked_at is null)), '{}') as "withoutKey",
       coalesce((select array_agg(code order by code) from institutes i where not exists (
         select from console_memberships m where m.institute_id = i.id)), '{}') as "withoutPeople"`,
  )
  if (row === undefined) throw new Error('the database answered without a row')
  return row
}
