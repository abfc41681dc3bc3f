import type { Queryable } from '../platform/db/database.ts'
import type { CellContent, Route, School } from './directory.rules.ts'

/** What the database of one cell says of itself. */

/** Differs whenever a school, key or account came or went; looked at every second, so it reads little. */
export async function fingerprintContent(db: Queryable): Promise<string> {
  const [row] = await db.query<{ print: string }>(
    `select concat_ws(' ',
       (select concat_ws(' ', count(*), max(created_at), sum(id)) from institutes),
       (select concat_ws(' ', count(*), max(created_at)) from api_keys),
       (select concat_ws(' ', count(*), max(created_at)) from provider_accounts)) as print`,
  )
  return row?.print ?? ''
}

/** One statement reads both, so that a school that moves meanwhile is there with its keys, or not at all. */
export async function readContent(db: Queryable): Promise<CellContent> {
  const [row] = await db.query<{ schools: School[] | null; routes: Route[] | null }>(
    `select
       (select json_agg(json_build_object('id', id, 'code', code) order by id) from institutes) as schools,
       (select json_agg(r) from (
          select 'key' as kind, key_id as value, institute_id as "schoolId" from api_keys
          union all select 'account', id, institute_id from provider_accounts) r) as routes`,
  )
  return { schools: row?.schools ?? [], routes: row?.routes ?? [] }
}

/** Ids that the cell gives from now on are in this range, behind those that it gave there before. */
export async function startIdsAt(db: Queryable, firstId: number, lastId: number): Promise<void> {
  await db.query(
    // Never back: a school that has moved away keeps its id.
    `select setval(pg_get_serial_sequence('institutes', 'id'), greatest($1::int,
       (select coalesce(max(id), 0) + 1 from institutes where id between $1::int and $2::int),
       (select last_value + is_called::int from institutes_id_seq where last_value between $1::int and $2::int)), false)`,
    [firstId, lastId],
  )
}

export async function countStudents(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>('select count(*)::int as count from students')
  return row?.count ?? 0
}

export type CellLoad = { schools: number; students: number; paymentsToday: number; versions: string[] }

export async function readLoad(db: Queryable, firstPaymentId: string): Promise<CellLoad> {
  const [row] = await db.query<CellLoad>(
    `select (select count(*)::int from institutes) as schools, (select count(*)::int from students) as students,
       (select count(*)::int from payments where id >= $1 and state = 'captured') as "paymentsToday",
       (select coalesce(array_agg(distinct split_part(application_name, '/', 3)), '{}') from pg_stat_activity
          where datname = current_database() and application_name like 'bursar/%') as versions`,
    [firstPaymentId],
  )
  if (row === undefined) throw new Error('a statement without rows')
  return row
}

/** Whether it follows another server and takes no writes. */
export async function isStandby(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ isStandby: boolean }>(`select pg_is_in_recovery() as "isStandby"`)
  return row?.isStandby === true
}
