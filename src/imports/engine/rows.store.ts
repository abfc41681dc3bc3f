import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import { summaryOf } from '../imports.rules.ts'
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

/** A student who would owe less by a list than now, as its check found. */
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

/** `cell` is what stands in the file, `child` whose row it is. */
export type NewProblem = { rowNo: number; column: string; message: string; cell?: string; child?: string }

export type Problem = Required<NewProblem> & { problemNo: number; summary: string }

const problemRows = new Table<Problem>('import_problems', {
  rowNo: 'int',
  problemNo: 'bigint',
  column: 'column_name text',
  message: 'text',
  summary: 'text',
  cell: 'text',
  child: 'text',
})
const problemsOfImports = problemRows.with<OfImport>(OF_IMPORT)

export async function insertProblems(
  tx: Transaction,
  key: ImportKey,
  problems: readonly NewProblem[],
): Promise<void> {
  const only = ['instituteId', 'importId', 'rowNo', 'column', 'message', 'summary', 'cell', 'child'] as const
  const rows = problems.map(problem => ({
    ...problem,
    summary: summaryOf(problem.message),
    cell: shorten(problem.cell),
    child: shorten(problem.child),
  }))
  await problemsOfImports.insert(tx, ofImport(key, rows), { only })
}

const LONGEST_SHOWN = 80

function shorten(text = ''): string {
  return Array.from(text.replaceAll('\0', ' ')).slice(0, LONGEST_SHOWN).join('')
}

export type ProblemGroup = Pick<Problem, 'column' | 'summary' | 'message' | 'cell'> & { rows: number }

const MOST_GROUPS = 100

/** What is wrong, with how many rows it is wrong in, most first, and the first of them as an example. */
export async function groupProblems(db: Queryable, { instituteId, id }: ImportKey): Promise<ProblemGroup[]> {
  return db.query<ProblemGroup>(
    `select p.column_name as "column", p.summary, count(distinct p.row_no)::int as rows,
       (array_agg(p.message order by p.row_no))[1] as message, (array_agg(p.cell order by p.row_no))[1] as cell
     from import_problems p where p.institute_id = $1 and p.import_id = $2
     group by p.column_name, p.summary order by rows desc, 1, 2 limit $3`,
    [instituteId, id, MOST_GROUPS],
  )
}

export type Correction = {
  column: string
  /** One row, or all that have this problem. */
  rowNo: number | null
  summary: string | null
  value: string
}

/** Corrects only rows that have a problem in this column; answers how many those are. */
export async function insertCorrection(
  tx: Transaction,
  { instituteId, id }: ImportKey,
  { column, rowNo, summary, value }: Correction,
): Promise<number> {
  const rows = await tx.query(
    `insert into import_corrections (institute_id, import_id, row_no, column_name, value)
     select distinct p.institute_id, p.import_id, p.row_no, p.column_name, $4
     from import_problems p where p.institute_id = $1 and p.import_id = $2 and p.column_name = $3
       and ($5::int is null or p.row_no = $5) and ($6::text is null or p.summary = $6)
     on conflict (institute_id, import_id, row_no, column_name) do update set value = excluded.value
     returning 1`,
    [instituteId, id, column, value, rowNo, summary],
  )
  return rows.length
}

export type CorrectedCell = { column: string; value: string }

export async function readCorrections(
  db: Queryable,
  { instituteId, id }: ImportKey,
): Promise<ReadonlyMap<number, readonly CorrectedCell[]>> {
  const rows = await db.query<CorrectedCell & { rowNo: number }>(
    `select c.row_no as "rowNo", c.column_name as "column", c.value from import_corrections c
     where c.institute_id = $1 and c.import_id = $2`,
    [instituteId, id],
  )
  return Map.groupBy(rows, row => row.rowNo)
}

/** Before the file is checked again. */
export async function forgetCheck(tx: Transaction, { instituteId, id }: ImportKey): Promise<void> {
  for (const table of ['import_rows', 'import_problems'])
    await tx.query(`delete from ${table} where institute_id = $1 and import_id = $2`, [instituteId, id])
}

/** One group of problems. */
export type ProblemFilter = { column?: string | undefined; summary?: string | undefined }

/** Problems come in the order of the file. */
export async function listProblems(
  db: Queryable,
  { instituteId, id }: ImportKey,
  after: { rowNo: number; problemNo: number },
  { limit, column, summary }: { limit: number } & ProblemFilter,
): Promise<Problem[]> {
  return db.query<Problem>(
    `select ${problemRows.columns('p')} from import_problems p
     where p.institute_id = $1 and p.import_id = $2 and (p.row_no, p.problem_no) > ($3, $4)
       and ($6::text is null or p.column_name = $6) and ($7::text is null or p.summary = $7)
     order by p.row_no, p.problem_no limit $5`,
    [instituteId, id, after.rowNo, after.problemNo, limit, column ?? null, summary ?? null],
  )
}

/**
 * Statistics know nothing of rows that this transaction has only just written, and a plan made by them may take hours.
 * Every statement after this one asks for some rows by their keys.
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
