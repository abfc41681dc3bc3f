import type { Queryable, Transaction } from '../platform/db/database.ts'
import type { Cell, Directory, Route, School, CellContent } from './directory.rules.ts'

type StoredCell = Cell & { databaseUrlSealed: Buffer }

/** Cells come in the order in which they were added: the first keeps the directory. */
export async function listCells(db: Queryable): Promise<StoredCell[]> {
  return db.query<StoredCell>(
    `select name, addresses, first_institute_id as "firstInstituteId", is_draining as "isDraining",
       database_url_sealed as "databaseUrlSealed" from cells order by first_institute_id`,
  )
}

/** Held until the transaction ends: cells are added and schools are placed one after the other. */
export async function lockDirectory(tx: Transaction): Promise<void> {
  await tx.query('lock table cells in share row exclusive mode')
}

/** False when the name is taken. */
export async function insertCell(tx: Transaction, cell: StoredCell): Promise<boolean> {
  const rows = await tx.query(
    `insert into cells (name, addresses, database_url_sealed, first_institute_id) values ($1, $2, $3, $4)
     on conflict (name) do nothing returning 1`,
    [cell.name, cell.addresses, cell.databaseUrlSealed, cell.firstInstituteId],
  )
  return rows.length === 1
}

/** False when there is none of that name. */
export async function changeCell(
  db: Queryable,
  name: string,
  change: Partial<Pick<StoredCell, 'isDraining' | 'addresses' | 'databaseUrlSealed'>>,
): Promise<boolean> {
  const rows = await db.query(
    `update cells set is_draining = coalesce($2, is_draining), addresses = coalesce($3, addresses),
       database_url_sealed = coalesce($4, database_url_sealed)
     where name = $1 returning 1`,
    [name, change.isDraining ?? null, change.addresses ?? null, change.databaseUrlSealed ?? null],
  )
  return rows.length === 1
}

export async function deleteCell(tx: Transaction, name: string): Promise<boolean> {
  const rows = await tx.query('delete from cells where name = $1 returning 1', [name])
  return rows.length === 1
}

export async function countSchoolsOf(tx: Transaction, name: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::int as count from cell_schools where cell = $1',
    [name],
  )
  return row?.count ?? 0
}

export async function readDirectory(db: Queryable): Promise<Directory> {
  const [schools, routes] = await Promise.all([
    db.query<School & { cell: string }>('select id, code, cell from cell_schools'),
    db.query<Route>('select kind, value, school_id as "schoolId" from cell_routes'),
  ])
  return { schools, routes }
}

export async function findSchool(db: Queryable, code: string): Promise<(School & { cell: string }) | null> {
  const [row] = await db.query<School & { cell: string }>(
    'select id, code, cell from cell_schools where code = $1',
    [code],
  )
  return row ?? null
}

export async function putSchools(
  tx: Transaction,
  schools: readonly (School & { cell: string })[],
): Promise<void> {
  await tx.query(
    `insert into cell_schools (id, code, cell)
     select * from unnest($1::int[], $2::text[], $3::text[])
     on conflict (id) do update set code = excluded.code, cell = excluded.cell`,
    [schools.map(({ id }) => id), schools.map(({ code }) => code), schools.map(({ cell }) => cell)],
  )
}

/** False when the directory does not know the school. */
export async function setCell(db: Queryable, schoolId: number, cell: string): Promise<boolean> {
  const rows = await db.query('update cell_schools set cell = $2 where id = $1 returning 1', [schoolId, cell])
  return rows.length === 1
}

export async function putRoutes(tx: Transaction, routes: readonly Route[]): Promise<void> {
  await tx.query(
    `insert into cell_routes (kind, value, school_id)
     select * from unnest($1::text[], $2::text[], $3::int[])
     on conflict (kind, value) do update set school_id = excluded.school_id`,
    [
      routes.map(({ kind }) => kind),
      routes.map(({ value }) => value),
      routes.map(({ schoolId }) => schoolId),
    ],
  )
}

export async function deleteRoutes(
  tx: Transaction,
  routes: readonly Pick<Route, 'kind' | 'value'>[],
): Promise<void> {
  await tx.query(
    `delete from cell_routes where (kind, value) in (select * from unnest($1::text[], $2::text[]))`,
    [routes.map(({ kind }) => kind), routes.map(({ value }) => value)],
  )
}

/** Differs whenever something in the directory has changed. */
export async function fingerprintDirectory(db: Queryable): Promise<string> {
  const [row] = await db.query<{ print: string }>(
    `select concat_ws(' ',
       (select string_agg(concat_ws(' ', name, array_to_string(addresses, ','), is_draining), ';' order by name) from cells),
       (select sum(hashtextextended(concat_ws(' ', id, code, cell), 0)) from cell_schools),
       (select sum(hashtextextended(concat_ws(' ', kind, value, school_id), 0)) from cell_routes)) as print`,
  )
  return row?.print ?? ''
}

/** Moves from or to a cell that have not ended, or whose old rows it still keeps. */
export async function countKeptMoves(tx: Transaction, cell: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from school_moves
     where (finished_at is null and $1 in (from_cell, to_cell))
       or (from_cell = $1 and kept_until is not null and forgotten_at is null)`,
    [cell],
  )
  return row?.count ?? 0
}

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
