import { isHere, nameRows } from '../platform/db/query.ts'
import type { Paise } from '../platform/money.ts'
import { Table } from '../platform/db/table.ts'
import type { Database, Queryable, Transaction } from '../platform/db/database.ts'
import type { FileFormat } from './files/columns.rules.ts'
import type { ImportKind, ImportMode, ImportState } from './imports.rules.ts'
import type { LinkOptions } from './kinds/links/links.rules.ts'
import type { FileColumns } from './kinds/matched-columns.rules.ts'
import { findDue } from '../platform/jobs/due-rows.ts'

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
  fileName: string | null
  message: string | null
  unknownColumns: string[]
  /** Lines of a school's own list that are no child, such as totals, with their numbers. */
  otherLines: string[]
  options: LinkOptions | null
  /** Set for a file whose columns a person matched. */
  columns: FileColumns | null
  totalRows: number
  badRows: number
  /** Bad rows that were still good when the file was checked. */
  failedRows: number
  /** Good rows that the check found to be applied before. */
  knownRows: number
  /** How many good rows of a file of links pay the dues of a student; the check found them. */
  settlingRows: number
  /** How many students of a list are in classes without fees, and some of these classes. */
  unpricedRows: number
  unpricedGrades: string[]
  /** How many students of a list would owe less than now, and how much less together. */
  loweredRows: number
  loweredPaise: Paise
  structuresDigest: string | null
  appliedRows: number
  unchangedRows: number
  nextGroup: number
  createdBy: string | null
  createdAt: Date
  checkedAt: Date | null
  startedAt: Date | null
  finishedAt: Date | null
  /** How far the check is while it is checking, and the rest while it is running. */
  percent: number
}

const table = new Table<Omit<Import, 'percent'> & { instituteId: number }>('imports', {
  instituteId: 'int',
  id: 'text',
  kind: 'text',
  mode: 'text',
  isDryRun: 'dry_run boolean',
  state: 'text',
  fileFormat: 'text',
  fileBytes: 'int',
  fileDigest: 'bytea',
  fileName: 'text',
  message: 'text',
  unknownColumns: 'text[]',
  otherLines: 'text[]',
  options: 'jsonb',
  columns: 'jsonb',
  totalRows: 'int',
  badRows: 'int',
  failedRows: 'int',
  knownRows: 'int',
  settlingRows: 'int',
  unpricedRows: 'int',
  unpricedGrades: 'text[]',
  loweredRows: 'int',
  loweredPaise: 'bigint',
  structuresDigest: 'text',
  appliedRows: 'int',
  unchangedRows: 'int',
  nextGroup: 'int',
  createdBy: 'text',
  createdAt: 'timestamptz',
  checkedAt: 'timestamptz',
  startedAt: 'timestamptz',
  finishedAt: 'timestamptz',
})

const SELECT = `${table.columns('i')},
  case when i.state in ('checking', 'running') then coalesce(p.percent, 0) else 100 end as percent`

export const IMPORTS = {
  select: SELECT,
  from: 'imports i',
  join: `left join import_progress p on p.institute_id = i.institute_id and p.import_id = i.id`,
}

const FROM = `from ${IMPORTS.from} ${IMPORTS.join}`

const NEW_COLUMNS = [
  'instituteId',
  'id',
  'kind',
  'mode',
  'isDryRun',
  'fileFormat',
  'fileBytes',
  'fileDigest',
  'fileName',
  'columns',
  'createdBy',
  'createdAt',
] as const

export type NewImport = Pick<Import, Exclude<(typeof NEW_COLUMNS)[number], 'instituteId'>>

export async function insertImport(tx: Transaction, instituteId: number, one: NewImport): Promise<void> {
  await table.insert(tx, [{ ...one, instituteId }], { only: NEW_COLUMNS })
  const key = [instituteId, one.id]
  await tx.query('insert into import_progress (institute_id, import_id) values ($1, $2)', key)
}

/** Finds how the columns of the last file of this kind with one of these rows of headings were matched. */
export async function findMatched(
  db: Queryable,
  instituteId: number,
  { kind, titles }: { kind: ImportKind; titles: readonly (readonly string[])[] },
): Promise<FileColumns | null> {
  const [row] = await db.query<{ columns: FileColumns }>(
    `select i.columns from imports i
     where i.institute_id = $1 and i.kind = $3 and i.columns -> 'titles' = any($2::jsonb[])
     order by i.created_at desc, i.id desc limit 1`,
    [instituteId, titles.map(one => JSON.stringify(one)), kind],
  )
  return row?.columns ?? null
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
  const [row] = await db.query<Import>(`select ${SELECT} ${FROM} where i.institute_id = $1 and i.id = $2`, [
    instituteId,
    id,
  ])
  return row ?? null
}

/** Takes turns: the next to open one waits, so that two at once are counted one after the other. */
export async function countUnfinished(
  tx: Transaction,
  instituteId: number,
  kinds: readonly ImportKind[],
): Promise<number> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('imports ' || $1::int, 0))`, [instituteId])
  const [row] = await tx.query<{ count: number }>(
    `select count(*) from imports where institute_id = $1 and kind = any($2)
       and state in ('checking', 'running')`,
    [instituteId, kinds],
  )
  return row?.count ?? 0
}

/** Imports of all institutes that a process can go on with, oldest first. */
export async function findUnfinished(db: Database, limit: number): Promise<ImportKey[]> {
  return await db.query<ImportKey>(
    `select institute_id as "instituteId", id from imports
     where state in ('checking', 'running') and ${isHere()}
     order by created_at limit $1`,
    [limit],
  )
}

/** A step holds its import until the commit: null when another process is at it, unless one waits for it. */
export async function lockImport(
  tx: Transaction,
  { instituteId, id }: ImportKey,
  { waits = false } = {},
): Promise<Import | null> {
  const [row] = await tx.query<Import>(
    `select ${SELECT} ${FROM} where i.institute_id = $1 and i.id = $2
     for update of i ${waits ? '' : 'skip locked'}`,
    [instituteId, id],
  )
  return row ?? null
}

export type ImportChange = Partial<Omit<Import, keyof NewImport | 'percent'>> & { mode?: ImportMode }

/** Changes the given columns; the message is that of the new state, so it is emptied if none is given. */
export async function updateImport(tx: Transaction, key: ImportKey, change: ImportChange): Promise<void> {
  const changed: ImportChange = { message: null, ...change }
  const set = Object.keys(changed) as (keyof ImportChange)[]
  await table.update(tx, [{ ...key, ...changed } as Import & ImportKey], { key: ['instituteId', 'id'], set })
}

/** Runs outside the step's transaction, so that others see how far it is. */
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

/** Counts that the process which read the file had to be ended; answers how often that was. */
export async function countReaderFailure(db: Queryable, { instituteId, id }: ImportKey): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `update import_progress set reader_failures = reader_failures + 1
     where institute_id = $1 and import_id = $2 returning reader_failures as count`,
    [instituteId, id],
  )
  return row?.count ?? 0
}

const IS_OVER = 'cleared_at is null and finished_at <= $1'
const TO_CLEAR = { table: 'imports', where: IS_OVER, order: 'finished_at' }

export async function findFinished(db: Database, now: Date, limit: number): Promise<ImportKey[]> {
  return findDue(db, TO_CLEAR, now, limit)
}

/** Forgets the files and rows of one that is over; answers how many imports that were. */
export async function clearFinished(tx: Transaction, now: Date, keys: readonly ImportKey[]): Promise<number> {
  const these = nameRows(keys, 2)
  const done = await tx.query<ImportKey>(
    `update imports set cleared_at = $1 where ${these.lock('imports', IS_OVER)}
     returning institute_id as "instituteId", id`,
    [now, ...these.values],
  )
  if (done.length === 0) return 0
  const cleared = nameRows(done, 1)
  // The file of a list stays for as long as its problems do: its bad rows are taken from it.
  for (const [table, kept] of [
    ['import_files', "and i.kind <> 'roster'"],
    ['import_rows', ''],
  ]) {
    await tx.query(
      `delete from ${table} f using imports i where ${cleared.match('i')}
         ${kept} and f.institute_id = i.institute_id and f.import_id = i.id`,
      cleared.values,
    )
  }
  return done.length
}

/** Nobody decided in time: what was checked is not applied any more. */
export async function cancelForgotten(db: Database, checkedBefore: Date, now: Date): Promise<number> {
  const rows = await db.query(
    `update imports set state = 'cancelled', finished_at = $2, message = 'Nobody said within a week what is to come of it.'
     where state = 'checked' and checked_at < $1 and ${isHere()} returning 1`,
    [checkedBefore, now],
  )
  return rows.length
}

/** Imports that ended so long ago that nobody asks for their problems any more; those that orders were made of stay. */
export async function findOld(db: Database, finishedBefore: Date, limit: number): Promise<ImportKey[]> {
  return findDue(db, TO_DELETE, finishedBefore, limit)
}

const TO_DELETE = {
  table: 'imports i',
  where: `cleared_at is not null and finished_at < $1 and not exists (
    select 1 from import_links l where l.institute_id = i.institute_id and l.import_id = i.id)`,
  order: 'finished_at',
}

export async function deleteOld(tx: Transaction, keys: readonly ImportKey[]): Promise<number> {
  const these = nameRows(keys, 1)
  const gone = await tx.query<ImportKey>(
    `delete from imports where ${these.lock('imports', 'cleared_at is not null')}
     returning institute_id as "instituteId", id`,
    these.values,
  )
  if (gone.length === 0) return 0
  const deleted = nameRows(gone, 1)
  for (const table of ['import_problems', 'import_files'])
    await tx.query(`delete from ${table} where ${deleted.match(table, 'import_id')}`, deleted.values)
  return gone.length
}
