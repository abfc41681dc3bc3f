import type { Queryable, Transaction } from '../../../platform/db/database.ts'
import type { BatchState } from './bulk.rules.ts'
import type { LinkRow } from './bulk-rows.schemas.ts'
import type { Language, SendChannel } from '../orders.texts.ts'

export type BatchKey = { instituteId: number; id: string }

export type LinkBatch = {
  id: string
  state: BatchState
  fileName: string
  fileDigest: Buffer
  unknownColumns: string[]
  channels: SendChannel[]
  language: Language
  totalRows: number
  badRows: number
  knownRows: number
  madeRows: number
  repeatedRows: number
  failedRows: number
  lastRow: number
  createdBy: string
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

const COLUMNS = `id, state, file_name as "fileName", file_digest as "fileDigest", unknown_columns as "unknownColumns",
  channels, language, total_rows as "totalRows", bad_rows as "badRows", known_rows as "knownRows",
  made_rows as "madeRows", repeated_rows as "repeatedRows", failed_rows as "failedRows", last_row as "lastRow",
  created_by as "createdBy", created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt"`

export type NewBatch = Pick<
  LinkBatch,
  | 'id'
  | 'fileName'
  | 'fileDigest'
  | 'unknownColumns'
  | 'totalRows'
  | 'badRows'
  | 'knownRows'
  | 'createdBy'
  | 'createdAt'
>

export async function insertBatch(tx: Transaction, instituteId: number, batch: NewBatch): Promise<LinkBatch> {
  const [row] = await tx.query<LinkBatch>(
    `insert into link_batches (institute_id, id, file_name, file_digest, unknown_columns, total_rows, bad_rows, known_rows,
       created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${COLUMNS}`,
    [
      instituteId,
      batch.id,
      batch.fileName,
      batch.fileDigest,
      batch.unknownColumns,
      batch.totalRows,
      batch.badRows,
      batch.knownRows,
      batch.createdBy,
      batch.createdAt,
    ],
  )
  return row as LinkBatch
}

export type StagedLink = { rowNo: number; key: Buffer; row: LinkRow }

export async function insertRows(
  tx: Transaction,
  { instituteId, id }: BatchKey,
  rows: readonly StagedLink[],
): Promise<void> {
  await tx.query(
    `insert into link_batch_rows (institute_id, batch_id, row_no, row_key, body)
     select $1, $2, r.no, r.key, r.body::jsonb from unnest($3::int[], $4::bytea[], $5::text[]) as r (no, key, body)`,
    [
      instituteId,
      id,
      rows.map(row => row.rowNo),
      rows.map(row => row.key),
      rows.map(row => JSON.stringify(row.row)),
    ],
  )
}

export type RowProblem = { rowNo: number; column: string; message: string }

export async function insertProblems(
  tx: Transaction,
  { instituteId, id }: BatchKey,
  problems: readonly RowProblem[],
): Promise<void> {
  if (problems.length === 0) return
  await tx.query(
    `insert into link_batch_problems (institute_id, batch_id, row_no, column_name, message)
     select $1, $2, p.no, p.name, p.message from unnest($3::int[], $4::text[], $5::text[]) as p (no, name, message)`,
    [
      instituteId,
      id,
      problems.map(problem => problem.rowNo),
      problems.map(problem => problem.column),
      problems.map(problem => problem.message),
    ],
  )
}

export async function findBatch(db: Queryable, { instituteId, id }: BatchKey): Promise<LinkBatch | null> {
  const [row] = await db.query<LinkBatch>(
    `select ${COLUMNS} from link_batches where institute_id = $1 and id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

/** Waits for a step under way. */
export async function lockBatch(tx: Transaction, { instituteId, id }: BatchKey): Promise<LinkBatch | null> {
  const [row] = await tx.query<LinkBatch>(
    `select ${COLUMNS} from link_batches where institute_id = $1 and id = $2 for update`,
    [instituteId, id],
  )
  return row ?? null
}

/** Newest first; ids sort by creation. */
export async function listBatches(
  db: Queryable,
  instituteId: number,
  { state, cursor }: { state: BatchState | undefined; cursor: string | undefined },
  limit: number,
): Promise<LinkBatch[]> {
  return db.query<LinkBatch>(
    `select ${COLUMNS} from link_batches where institute_id = $1 and ($2::text is null or state = $2)
       and ($3::text is null or id < $3) order by id desc limit $4`,
    [instituteId, state ?? null, cursor ?? null, limit],
  )
}

export type Problem = RowProblem & { problemNo: number }

export async function listProblems(
  db: Queryable,
  { instituteId, id }: BatchKey,
  after: { rowNo: number; problemNo: number },
  limit: number,
): Promise<Problem[]> {
  return db.query<Problem>(
    `select row_no as "rowNo", problem_no as "problemNo", column_name as "column", message from link_batch_problems
     where institute_id = $1 and batch_id = $2 and (row_no, problem_no) > ($3, $4)
     order by row_no, problem_no limit $5`,
    [instituteId, id, after.rowNo, after.problemNo, limit],
  )
}

export type MadeLink = {
  rowNo: number
  orderId: string
  isRepeated: boolean
  name: string
  phone: string
  email: string
  identifier: string | null
  studentName: string | null
  amountPaise: number
  expiresAt: Date | null
}

/** Every link of a file, in its order. */
export async function listLinks(db: Queryable, { instituteId, id }: BatchKey): Promise<MadeLink[]> {
  return db.query<MadeLink>(
    `select r.row_no as "rowNo", r.order_id as "orderId", r.is_repeated as "isRepeated", o.name, o.phone, o.email,
       o.identifier, o.student_name as "studentName", o.expires_at as "expiresAt",
       (select sum(l.amount_paise)::bigint from order_lines l
        where l.institute_id = o.institute_id and l.order_id = o.id) as "amountPaise"
     from link_batch_rows r join orders o on o.institute_id = r.institute_id and o.id = r.order_id
     where r.institute_id = $1 and r.batch_id = $2 order by r.row_no`,
    [instituteId, id],
  )
}
