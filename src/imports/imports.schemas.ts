import { field, input, optional, query } from '../http/wire/input.ts'
import { ERP_KINDS, IMPORT_MODES, IMPORT_STATES, type ErpKind } from './imports.rules.ts'
import { outputOf } from '../http/wire/output.ts'
import type { Import, Problem } from './imports.service.ts'

/** What import routes take. */
export const IMPORT_ID = 'imp_01k9zq4m0ve8sbn6yt2hw3c5da'
/** A place in the list of problems. */
const PROBLEM_CURSOR = '17-204'

export const importParams = input({
  import_id: field.resourceId('The id that creating the import answered with.', IMPORT_ID).as('id'),
})

const mode = field.oneOf(
  IMPORT_MODES,
  'all: nothing is applied when any row is bad. good: the good rows are applied, the bad ones reported.',
)

export const createImportQuery = query({
  kind: field.oneOf(ERP_KINDS, 'What the rows of the file are.'),
  mode: optional(mode, 'all'),
  dry_run: optional(
    field.oneOf(['true', 'false'], 'true: the file is only checked; what is to come of it is said later.'),
  ),
})

export const applyImportInput = input({ mode })

export const listProblemsQuery = query({ limit: field.pageSize(), cursor: field.cursor(PROBLEM_CURSOR) })

/** Imports and their problems as they are answered with. */
const file = outputOf<Import>()
const fileOutput = file.object({
  format: file.oneOf(['csv', 'xlsx'], 'As found in the file itself.', one => one.fileFormat),
  bytes: file.integer('Its size.', 48_210, one => one.fileBytes),
  sha256: file.text(
    'Its digest, in hexadecimal.',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    one => one.fileDigest.toString('hex'),
  ),
})

const rows = outputOf<Import>()
const rowsOutput = rows.object({
  total: rows.integer(
    'Rows below the header that are not blank; known after the check.',
    412,
    one => one.totalRows,
  ),
  good: rows.integer('Rows that can be applied.', 410, one =>
    one.checkedAt === null ? 0 : one.totalRows - one.badRows,
  ),
  bad: rows.integer('Rows that cannot; see its problems.', 2, one => one.badRows),
  applied: rows.integer('Rows that changed something.', 0, one => one.appliedRows),
  unchanged: rows.integer('Rows that say what was known already.', 0, one => one.unchangedRows),
})

const out = outputOf<Import>()
export const importOutput = out.object('Import', {
  id: out.text('Id of the import.', IMPORT_ID),
  // A file of links has an address and an output of its own.
  kind: out.oneOf(ERP_KINDS, 'What the rows of the file are.', one => one.kind as ErpKind),
  mode: out.oneOf(IMPORT_MODES, 'Whether all rows are applied or none, or the good ones.'),
  dry_run: out.flag('Whether only the check was asked for.', false, one => one.isDryRun),
  state: out.oneOf(
    IMPORT_STATES,
    'checking; checked: it waits for what is to come of it; running; done; failed: the file as a whole cannot be used; cancelled.',
    one => one.state as (typeof IMPORT_STATES)[number],
    'checked',
  ),
  message: out.optional.text(
    'For a person: why it failed, or why it waits.',
    '2 of 412 rows are bad, so nothing was applied. Correct them and send the file again, or apply the good rows only.',
  ),
  progress: out.integer(
    'Percent of the check while it is checking, of the rest while it is running; else 100.',
    100,
    one => one.percent,
  ),
  file: out.one('The file as it arrived.', fileOutput, one => one),
  rows: out.one('How many rows.', rowsOutput, one => one),
  unknown_columns: out.texts('Columns of the file that mean nothing here, at most 20; they are left out.', [
    'Remarks',
  ]),
  created_at: out.moment('When the file arrived.', '2026-11-15T04:32:10.000Z'),
  checked_at: out.optional.moment('When the check was over.', '2026-11-15T04:32:11.000Z'),
  finished_at: out.optional.moment('When it was done, failed or was cancelled.', '2026-11-15T04:32:12.000Z'),
})

const problem = outputOf<Pick<Problem, 'rowNo' | 'column' | 'message'>>()
export const problemOutput = problem.object('ImportProblem', {
  row: problem.integer('As the spreadsheet counts: the header is row 1.', 17, one => one.rowNo),
  column: problem.optional.text(
    'The column; absent when the row as a whole is meant.',
    'date_of_birth',
    one => one.column || null,
  ),
  message: problem.text('What is wrong with it.', 'is not understood as a day; write it as 2016-02-27'),
})
