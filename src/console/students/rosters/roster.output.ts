import { outputOf, type Shown } from '../../../http/wire/output.ts'
import type { Import } from '../../../imports/imports.service.ts'
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
