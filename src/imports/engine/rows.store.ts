import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import type { ImportKey } from '../imports.store.ts'

/** Rows on their way from a file to the books, and what is wrong with those that stay behind. */
export type StagedRow = {
  groupNo: number
  rowNo: number
  groupKey: string
  unit: string
  /** JSON; null when the row could not be read. */
  body: string | null
}

const stage = new Table<StagedRow>('import_rows', {
  groupNo: 'int',
  rowNo: 'int',
  groupKey: 'text',
  unit: 'text',
  body: 'text',
})

/** What the check of a list of students found that it asks less of one than now. */
export type LoweredRow = { groupNo: number; rowNo: number; studentId: string; loweredPaise: Paise }

const loweredRows = new Table<LoweredRow>('import_rows', {
  groupNo: 'int',
  rowNo: 'int',
  studentId: 'text',
  loweredPaise: 'bigint',
})
const OF_IMPORT = { instituteId: 'int', importId: 'text' } as const
const stageOfImports = stage.with<OfImport>(OF_IMPORT)
const loweredOfImports = loweredRows.with<OfImport>(OF_IMPORT)

type OfImport = { instituteId: number; importId: string }

function ofImport<Row>({ instituteId, id }: ImportKey, rows: readonly Row[]): (Row & OfImport)[] {
  return rows.map(row => ({ ...row, instituteId, importId: id }))
}

export async function insertRows(tx: Transaction, key: ImportKey, rows: readonly StagedRow[]): Promise<void> {
  await stageOfImports.insert(tx, ofImport(key, rows))
}

export async function markLowered(
  tx: Transaction,
  key: ImportKey,
  rows: readonly LoweredRow[],
): Promise<void> {
  await loweredOfImports.update(tx, ofImport(key, rows), {
    key: ['instituteId', 'importId', 'groupNo', 'rowNo'],
    set: ['studentId', 'loweredPaise'],
  })
}

export async function listLowered(db: Queryable, { instituteId, id }: ImportKey): Promise<LoweredRow[]> {
  return db.query<LoweredRow>(
    `select ${loweredRows.columns('r')} from import_rows r
     where r.institute_id = $1 and r.import_id = $2 and r.lowered_paise > 0`,
    [instituteId, id],
  )
}

/** Rows of one group that stand apart in the file join the first of them. */
export async function joinGroups(tx: Transaction, { instituteId, id }: ImportKey): Promise<void> {
  await tx.query(
    `update import_rows r set group_no = placed.first_group
     from (select group_no, row_no, min(group_no) over (partition by group_key) as first_group
       from import_rows where institute_id = $1 and import_id = $2) placed
     where placed.first_group <> placed.group_no and r.institute_id = $1 and r.import_id = $2
       and r.group_no = placed.group_no and r.row_no = placed.row_no`,
    [instituteId, id],
  )
}

/** Takes out what a group has too many of; answers which rows those were. */
export async function takeSurplus(
  tx: Transaction,
  { instituteId, id }: ImportKey,
  maxGroup: number,
): Promise<number[]> {
  const rows = await tx.query<{ row_no: number }>(
    `delete from import_rows r
     using (select group_no, row_no, row_number() over (partition by group_no order by row_no) as place
       from import_rows where institute_id = $1 and import_id = $2) placed
     where placed.place > $3 and r.institute_id = $1 and r.import_id = $2
       and r.group_no = placed.group_no and r.row_no = placed.row_no
     returning r.row_no`,
    [instituteId, id, maxGroup],
  )
  return rows.map(row => row.row_no)
}

/** Whole groups, about as many rows as the limit says, after the group given. */
export async function readGroups(
  db: Queryable,
  { instituteId, id }: ImportKey,
  after: number,
  limit: number,
): Promise<(StagedRow & Pick<LoweredRow, 'loweredPaise'>)[]> {
  return db.query(
    `select ${stage.columns('r')}, r.lowered_paise as "loweredPaise" from import_rows r
     where r.institute_id = $1 and r.import_id = $2 and r.group_no > $3 and r.group_no <= coalesce((
       select group_no from import_rows where institute_id = $1 and import_id = $2 and group_no > $3
       order by group_no, row_no offset $4 limit 1), 2147483647)
     order by r.group_no, r.row_no`,
    [instituteId, id, after, limit - 1],
  )
}

export async function deleteRows(
  tx: Transaction,
  { instituteId, id }: ImportKey,
  rows: readonly Pick<StagedRow, 'groupNo' | 'rowNo'>[],
): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    `delete from import_rows where institute_id = $1 and import_id = $2
       and group_no = any($3) and row_no = any($4)`,
    [instituteId, id, rows.map(row => row.groupNo), rows.map(row => row.rowNo)],
  )
}

/** The same for rows whose place is not at hand. */
export async function deleteRowsByNumber(
  tx: Transaction,
  { instituteId, id }: ImportKey,
  rowNumbers: readonly number[],
): Promise<void> {
  await tx.query('delete from import_rows where institute_id = $1 and import_id = $2 and row_no = any($3)', [
    instituteId,
    id,
    rowNumbers,
  ])
}

export type NewProblem = { rowNo: number; column: string; message: string }

export type Problem = NewProblem & { problemNo: number }

const problemRows = new Table<Problem>('import_problems', {
  rowNo: 'int',
  problemNo: 'bigint',
  column: 'column_name text',
  message: 'text',
})
const problemsOfImports = problemRows.with<OfImport>(OF_IMPORT)

export async function insertProblems(
  tx: Transaction,
  key: ImportKey,
  problems: readonly NewProblem[],
): Promise<void> {
  const only = ['instituteId', 'importId', 'rowNo', 'column', 'message'] as const
  await problemsOfImports.insert(tx, ofImport(key, problems), { only })
}

/** Problems come in the order of the file. */
export async function listProblems(
  db: Queryable,
  { instituteId, id }: ImportKey,
  after: { rowNo: number; problemNo: number },
  limit: number,
): Promise<Problem[]> {
  return db.query<Problem>(
    `select ${problemRows.columns('p')} from import_problems p
     where p.institute_id = $1 and p.import_id = $2 and (p.row_no, p.problem_no) > ($3, $4)
     order by p.row_no, p.problem_no limit $5`,
    [instituteId, id, after.rowNo, after.problemNo, limit],
  )
}

/**
 * Statistics know nothing of rows that this transaction has only just written, and a plan made by them may take hours.
 * From here on every statement asks for some rows by their keys.
 */
export async function planByKeys(tx: Transaction): Promise<void> {
  await choosePlans(tx, {
    enable_nestloop: true,
    enable_hashjoin: false,
    enable_mergejoin: false,
    enable_seqscan: false,
  })
}

/** Every later statement of this transaction goes through all rows of an import at once. */
export async function planWhole(tx: Transaction): Promise<void> {
  await choosePlans(tx, {
    enable_nestloop: false,
    enable_hashjoin: true,
    enable_mergejoin: true,
    enable_seqscan: true,
  })
}

async function choosePlans(tx: Transaction, settings: Record<string, boolean>): Promise<void> {
  await tx.query(
    'select set_config(name, value, true) from unnest($1::text[], $2::text[]) as s (name, value)',
    [Object.keys(settings), Object.values(settings).map(isOn => (isOn ? 'on' : 'off'))],
  )
}
