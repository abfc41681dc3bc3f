import { outputOf, type Shown } from '../../../http/wire/output.ts'
import type { Import, Problem } from '../../../imports/imports.service.ts'
import type { ProblemGroup } from '../../../imports/rosters.service.ts'
import { ROSTER_STATES } from '../../../imports/kinds/roster/roster.rules.ts'

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
