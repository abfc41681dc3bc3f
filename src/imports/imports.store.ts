import type { Queryable, Transaction } from '../platform/db/database.ts'
import type { FileFormat } from './import-file-rows.ts'
import type { ImportKind, ImportMode, ImportState } from './imports.rules.ts'

export type ImportKey = { instituteId: number; id: string }

export type Import = {
  id: string
  kind: ImportKind
  mode: ImportMode
  isDryRun: boolean
  state: ImportState
  fileFormat: FileFormat
  fileBytes: number
  fileDigest: Buffer
  message: string | null
  unknownColumns: string[]
  totalRows: number
  badRows: number
  appliedRows: number
  unchangedRows: number
  nextGroup: number
  createdAt: Date
  checkedAt: Date | null
  finishedAt: Date | null
  /** Of the check while it is checking, of the rest while it is running. */
  percent: number
}

const COLUMNS = `i.id, i.kind, i.mode, i.dry_run as "isDryRun", i.state, i.file_format as "fileFormat",
  i.file_bytes as "fileBytes", i.file_digest as "fileDigest", i.message, i.unknown_columns as "unknownColumns",
  i.total_rows as "totalRows", i.bad_rows as "badRows", i.applied_rows as "appliedRows",
  i.unchanged_rows as "unchangedRows", i.next_group as "nextGroup", i.created_at as "createdAt",
  i.checked_at as "checkedAt", i.finished_at as "finishedAt",
  case when i.state in ('checking', 'running') then coalesce(p.percent, 0) else 100 end as percent`

const FROM = `from imports i left join import_progress p on p.institute_id = i.institute_id and p.import_id = i.id`

export type NewImport = Pick<
  Import,
  'id' | 'kind' | 'mode' | 'isDryRun' | 'fileFormat' | 'fileBytes' | 'fileDigest' | 'createdAt'
>

export async function insertImport(tx: Transaction, instituteId: number, one: NewImport): Promise<void> {
  await tx.query(
    `insert into imports (institute_id, id, kind, mode, dry_run, file_format, file_bytes, file_digest, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      instituteId,
      one.id,
      one.kind,
      one.mode,
      one.isDryRun,
      one.fileFormat,
      one.fileBytes,
      one.fileDigest,
      one.createdAt,
    ],
  )
  const key = [instituteId, one.id]
  await tx.query('insert into import_progress (institute_id, import_id) values ($1, $2)', key)
}

export async function insertPart(
  tx: Transaction,
  { instituteId, id }: ImportKey,
  partNo: number,
  bytes: Buffer,
): Promise<void> {
  await tx.query(
    'insert into import_files (institute_id, import_id, part_no, bytes) values ($1, $2, $3, $4)',
    [instituteId, id, partNo, bytes],
  )
}

/** Null after the last. */
export async function readPart(
  db: Queryable,
  { instituteId, id }: ImportKey,
  partNo: number,
): Promise<Buffer | null> {
  const [row] = await db.query<{ bytes: Buffer }>(
    'select bytes from import_files where institute_id = $1 and import_id = $2 and part_no = $3',
    [instituteId, id, partNo],
  )
  return row?.bytes ?? null
}

export async function findImport(db: Queryable, { instituteId, id }: ImportKey): Promise<Import | null> {
  const [row] = await db.query<Import>(`select ${COLUMNS} ${FROM} where i.institute_id = $1 and i.id = $2`, [
    instituteId,
    id,
  ])
  return row ?? null
}

export type ImportFilter = {
  kind?: ImportKind | undefined
  state?: ImportState | undefined
  cursor?: string | undefined
}

/** Newest first; ids sort by creation. */
export async function listImports(
  db: Queryable,
  instituteId: number,
  { kind, state, cursor }: ImportFilter,
  limit: number,
): Promise<Import[]> {
  return db.query<Import>(
    `select ${COLUMNS} ${FROM} where i.institute_id = $1 and ($2::text is null or i.kind = $2)
       and ($3::text is null or i.state = $3) and ($4::text is null or i.id < $4)
     order by i.id desc limit $5`,
    [instituteId, kind ?? null, state ?? null, cursor ?? null, limit],
  )
}

/** Takes turns: whoever opens one next waits, so that two at once are counted one after the other. */
export async function countUnfinished(tx: Transaction, instituteId: number): Promise<number> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('imports ' || $1::int, 0))`, [instituteId])
  const [row] = await tx.query<{ count: number }>(
    `select count(*) from imports where institute_id = $1 and state in ('checking', 'running')`,
    [instituteId],
  )
  return row?.count ?? 0
}

/** Those that a process can go on with, of all institutes, the oldest first. */
export async function findUnfinished(db: Queryable, limit: number): Promise<ImportKey[]> {
  return db.query<ImportKey>(
    `select institute_id as "instituteId", id from imports where state in ('checking', 'running')
     order by created_at limit $1`,
    [limit],
  )
}

/** Null when another process is at it: a step holds its import until the commit. */
export async function lockImport(tx: Transaction, { instituteId, id }: ImportKey): Promise<Import | null> {
  const [row] = await tx.query<Import>(
    `select ${COLUMNS} ${FROM} where i.institute_id = $1 and i.id = $2 for update of i skip locked`,
    [instituteId, id],
  )
  return row ?? null
}

export type ImportChange = Partial<
  Pick<
    Import,
    | 'mode'
    | 'state'
    | 'message'
    | 'unknownColumns'
    | 'totalRows'
    | 'badRows'
    | 'appliedRows'
    | 'unchangedRows'
    | 'nextGroup'
    | 'checkedAt'
    | 'finishedAt'
  >
>

/** What is not given stays; the message is that of the new state. */
export async function updateImport(
  tx: Transaction,
  { instituteId, id }: ImportKey,
  change: ImportChange,
): Promise<void> {
  await tx.query(
    `update imports set mode = coalesce($3, mode), state = coalesce($4, state), message = $5,
       unknown_columns = coalesce($6, unknown_columns), total_rows = coalesce($7, total_rows),
       bad_rows = coalesce($8, bad_rows), applied_rows = coalesce($9, applied_rows),
       unchanged_rows = coalesce($10, unchanged_rows), next_group = coalesce($11, next_group),
       checked_at = coalesce($12, checked_at), finished_at = coalesce($13, finished_at)
     where institute_id = $1 and id = $2`,
    [
      instituteId,
      id,
      change.mode,
      change.state,
      change.message,
      change.unknownColumns,
      change.totalRows,
      change.badRows,
      change.appliedRows,
      change.unchangedRows,
      change.nextGroup,
      change.checkedAt,
      change.finishedAt,
    ],
  )
}

/** Beside the step's own transaction, so that others see how far it is. */
export async function setProgress(
  db: Queryable,
  { instituteId, id }: ImportKey,
  percent: number,
): Promise<void> {
  await db.query('update import_progress set percent = $3 where institute_id = $1 and import_id = $2', [
    instituteId,
    id,
    percent,
  ])
}

/** Counts a step that begins; answers how many have begun since the last that ended. */
export async function beginTry(db: Queryable, { instituteId, id }: ImportKey): Promise<number> {
  const [row] = await db.query<{ tries: number }>(
    `update import_progress set tries = tries + 1 where institute_id = $1 and import_id = $2 returning tries`,
    [instituteId, id],
  )
  return row?.tries ?? 0
}

/** After the commit of the step. */
export async function endTry(db: Queryable, { instituteId, id }: ImportKey): Promise<void> {
  await db.query('update import_progress set tries = 0 where institute_id = $1 and import_id = $2', [
    instituteId,
    id,
  ])
}

/** Forgets files and rows of those that are over; answers how many imports that were. */
export async function clearFinished(tx: Transaction, now: Date, limit: number): Promise<number> {
  const done = await tx.query<ImportKey>(
    `update imports set cleared_at = $1 where (institute_id, id) in (
       select institute_id, id from imports where cleared_at is null and finished_at is not null
       order by finished_at limit $2 for update skip locked)
     returning institute_id as "instituteId", id`,
    [now, limit],
  )
  const keys = [done.map(key => key.instituteId), done.map(key => key.id)]
  for (const table of ['import_files', 'import_rows']) {
    await tx.query(
      `delete from ${table} where (institute_id, import_id) in (select * from unnest($1::int[], $2::text[]))`,
      keys,
    )
  }
  return done.length
}

/** Nobody decided in time: what was checked is not applied any more. */
export async function cancelForgotten(db: Queryable, checkedBefore: Date, now: Date): Promise<number> {
  const rows = await db.query(
    `update imports set state = 'cancelled', finished_at = $2, message = 'Nobody said within a week what is to come of it.'
     where state = 'checked' and checked_at < $1 returning 1`,
    [checkedBefore, now],
  )
  return rows.length
}

/** Imports that ended so long ago that nobody asks for their problems any more. */
export async function deleteOld(tx: Transaction, finishedBefore: Date, limit: number): Promise<number> {
  const gone = await tx.query<ImportKey>(
    `delete from imports where (institute_id, id) in (
       select institute_id, id from imports where cleared_at is not null and finished_at < $1
       limit $2 for update skip locked)
     returning institute_id as "instituteId", id`,
    [finishedBefore, limit],
  )
  await tx.query(
    `delete from import_problems
     where (institute_id, import_id) in (select * from unnest($1::int[], $2::text[]))`,
    [gone.map(key => key.instituteId), gone.map(key => key.id)],
  )
  return gone.length
}
