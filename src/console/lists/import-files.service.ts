import { allImports, type Import } from '../../imports/imports.service.ts'
import type { ImportFamily, ImportState } from '../../imports/imports.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { readableComponent } from '../../platform/names.ts'
import type { Report } from '../reports/export.service.ts'
import { count, moment, text, type Column } from '../reports/reports.rules.ts'
import { by, type Sorting } from '../../platform/db/sorted-list.ts'

/** Files that people sent, of students or of links. */
export const FILE_SORTING: Sorting = {
  key: 'id',
  columns: {
    name: by.name('"fileName"'),
    state: by.text('state'),
    rows: by.number('"totalRows"'),
    bad: by.number('"badRows"'),
    made: by.number('"appliedRows"'),
    by: by.text('"createdBy"'),
    at: by.moment('"createdAt"'),
  },
}

const COLUMNS: readonly Column<Import>[] = [
  text('File', row => row.fileName),
  text('Status', row => readableComponent(row.state.toUpperCase())),
  count('Rows', row => row.totalRows),
  count('Rows to correct', row => row.badRows),
  count('Done', row => row.appliedRows),
  text('Sent by', row => row.createdBy),
  moment('When', row => row.createdAt),
]

export function filesReport(
  institute: Institute,
  family: ImportFamily,
  { name, title, state }: { name: string; title: string; state: ImportState | undefined },
): Report<Import> {
  return { name, title, query: allImports(institute, { state }, family), columns: COLUMNS }
}
