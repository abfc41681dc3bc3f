import { field, input, nullable, optional, query } from '../../../http/wire/input.ts'
import { SENT_DAYS } from '../../lists/list.schemas.ts'
import { WHY_LOWER } from '../fees/fees.routes.ts'
import { outputOf, type Shown } from '../../../http/wire/output.ts'
import type { Import, Problem } from '../../../imports/imports.service.ts'
import type { ProblemGroup } from '../../../imports/rosters.service.ts'
import { ROSTER_STATES } from '../../../imports/kinds/roster/roster.rules.ts'

const ROSTER_ID = 'imp_01k9zq4m0ve8sbn6yt2hw3c5da'

export const uploadQuery = query({
  name: optional(field.text('What the file is called.', 'class-5.xlsx', 200)),
  columns: field.text(
    'A JSON list: for each column of the file the field that it holds, `fee:` and the code of a fee, or null.',
    '["identifier","fullname","grade","primary_contact_number","fee:TUITION_FEE",null]',
    6_000,
  ),
  days: SENT_DAYS,
  academic_year_start: field.year('Start of the academic year that the list is of.', 2026),
  academic_year_end: field.year('Its end.', 2027),
})

export const startRosterInput = input({ reason: WHY_LOWER })

export const rosterParams = input({ roster_id: field.resourceId('Id of the list.', ROSTER_ID) })

const MOST_CORRECTIONS = 200
const SUMMARY = field.text('The problem, as its group names it.', 'is not understood as a day', 500)

export const problemsQuery = query({
  column: optional(field.text('Only in this column.', 'date_of_birth', 100)),
  summary: optional(SUMMARY),
  limit: field.pageSize(),
  cursor: field.cursor('17-3'),
})

const correction = input({
  column: field.text('The field or fee.', 'date_of_birth', 100),
  row_no: nullable(
    optional(field.wholeNumber('The row; absent: every row of the group.', 17, [1, 1_048_576])),
  ),
  summary: nullable(optional(SUMMARY)),
  value: optional(field.text('What is read in place of the cell; absent: nothing.', '2016-02-27'), ''),
})

export const correctRosterInput = input({
  corrections: field.list('What is read in place of cells.', correction, { min: 1, max: MOST_CORRECTIONS }),
})

const rows = outputOf<Import>()
const rowsOutput = rows.object({
  total: rows.integer('In the file.', 500, one => one.totalRows),
  bad: rows.integer('That cannot be used; listed one by one.', 2, one => one.badRows),
  known: rows.integer(
    'Of students that are registered already, as the check found.',
    3,
    one => one.knownRows,
  ),
  new: rows.integer('Of students that are new.', 495, one => one.totalRows - badAtCheck(one) - one.knownRows),
  without_fees: rows.integer(
    'Of students whose class has no fees, as the check found: they would owe nothing.',
    2,
    one => one.unpricedRows,
  ),
  lowered: rows.integer(
    'Of students who have fees already and would have to pay less, as the check found.',
    1,
    one => one.loweredRows,
  ),
  applied: rows.integer('That changed something so far.', 0, one => one.appliedRows),
  unchanged: rows.integer('That said what was known already.', 0, one => one.unchangedRows),
})

function badAtCheck({ badRows, failedRows }: Import): number {
  return badRows - failedRows
}

const out = outputOf<Import>()
export const rosterOutput = out.object({
  id: out.text('Its id.', 'imp_01k9zq4m0ve8sbn6yt2hw3c5da'),
  state: out.oneOf(ROSTER_STATES, 'How far it is; `checked` waits for somebody to start it.'),
  message: out.optional.text('Why it failed.', 'The file has no rows below its header.'),
  file_name: out.text('What the file is called.', 'class-5.xlsx', one => one.fileName ?? ''),
  unknown_columns: out.texts('Columns that are left out.', ['Remarks']),
  other_lines: out.texts('Lines that are no child, such as totals, with their numbers; at most 200.', [
    '484: Grand total 480',
  ]),
  classes_without_fees: out.texts('Such classes, at most 20.', ['Std II'], one => one.unpricedGrades),
  lowered_amount: out.amount(
    'How much less they would have to pay together, rupees.',
    11999,
    one => one.loweredPaise,
  ),
  rows: out.one('How many rows of each kind.', rowsOutput, one => one),
  progress: out.integer('Percent of what is under way.', 100, one => one.percent),
  created_by: out.text('Who sent it.', 'meera@example.in', one => one.createdBy ?? ''),
  created_at: out.moment('When, UTC.', '2026-11-15T04:00:00.000Z'),
  finished_at: out.optional.moment('When it was over, UTC.', '2026-11-15T04:06:00.000Z'),
})
export type RosterAnswer = Shown<typeof rosterOutput>

const problem = outputOf<Problem>()
export const rosterProblemOutput = problem.object({
  row: problem.integer('As the spreadsheet counts.', 17, one => one.rowNo),
  column: problem.text('The field or fee; empty when the row as a whole is meant.', 'date_of_birth'),
  message: problem.text('What is wrong with it.', 'is not understood as a day; write it as 2016-02-27'),
  child: problem.text('Whose row it is, where the row says so.', 'Kabir Rao · ADM-1042'),
  cell: problem.text('What stands in the cell.', '2016.31.2'),
})
export type RosterProblemAnswer = Shown<typeof rosterProblemOutput>

const group = outputOf<ProblemGroup>()
const groupOutput = group.object({
  column: group.text('The field or fee; empty when the row as a whole is meant.', 'date_of_birth'),
  summary: group.text('What these rows have in common; names the group.', 'is not understood as a day'),
  message: group.text(
    'What is wrong with the first of them.',
    'is not understood as a day; write it as 2016-02-27',
  ),
  cell: group.text('What stands in its cell.', '2016.31.2'),
  rows: group.integer('How many rows.', 160),
})
const groups = outputOf<ProblemGroup[]>()
export const problemGroupsOutput = groups.object({
  groups: groups.list('Most rows first, at most 100.', groupOutput, all => all),
})
export type ProblemGroupsAnswer = Shown<typeof problemGroupsOutput>
