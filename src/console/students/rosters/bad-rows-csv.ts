import { cellText, PROBLEM_TITLE } from '../../../imports/files/columns.rules.ts'
import type { BadRow } from '../../../imports/rosters.service.ts'
import { csvHead, csvRow, type Column } from '../../reports/reports.rules.ts'

/** The rows to correct, with the columns of the file that they came from and what is wrong with each. */
export function badRowsCsv(titles: readonly string[], rows: readonly BadRow[]): string {
  const columns = columnsOf(titles)
  return rows.map(row => csvRow(columns, row)).join('')
}

export function badRowsHead(titles: readonly string[]): string {
  return csvHead(columnsOf(titles))
}

function columnsOf(titles: readonly string[]): Column<BadRow>[] {
  return [
    ...titles.map((title, index): Column<BadRow> => ({
      title,
      kind: 'text',
      value: row => cellText(row.cells[index] ?? null),
    })),
    { title: PROBLEM_TITLE, kind: 'text', value: row => row.message },
  ]
}
