import type { Institute } from '../../institutes/institutes.rules.ts'
import { allRuns, type CountedRun } from '../../reminders/runs.service.ts'
import { by, type Sorting } from '../../platform/db/sorted-list.ts'
import type { Report } from '../reports/export.service.ts'
import { count, moment, text, type Column } from '../reports/reports.rules.ts'

export const RUN_SORTING: Sorting = {
  key: 'id',
  columns: {
    at: by.moment('"createdAt"'),
    subject: by.name('subject'),
    families: by.number('families'),
    by: by.text('"madeBy"'),
  },
}

const COLUMNS: readonly Column<CountedRun>[] = [
  moment('When', row => row.createdAt),
  text('Subject', row => row.subject),
  count('Families', row => row.families),
  count('Reminded', row => row.sent),
  count('Withheld', row => row.withheld),
  count('Not decided yet', row => row.waiting),
  text('Sent by', row => row.madeBy),
]

export function runsReport(institute: Institute): Report<CountedRun> {
  return { name: 'reminder-runs', title: 'Reminders', query: allRuns(institute), columns: COLUMNS }
}
