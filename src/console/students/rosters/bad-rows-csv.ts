import type { Cell } from '../../../imports/files/columns.rules.ts'
import type { BadRow } from '../../../imports/rosters.service.ts'
import { csvHead, csvRow, type Column } from '../../reports/reports.rules.ts'

/** The rows to correct, with the columns of the file that they came from and what is wrong with each. */
export function badRowsCsv(header: readonly Cell[], rows: readonly BadRow[]): string {
  const columns = columnsOf(header)
  return rows.map(row => csvRow(columns, row)).join('')
}

export function badRowsHead(header: readonly Cell[]): string {
  return csvHead(columnsOf(header))
}

function columnsOf(header: readonly Cell[]): Column<BadRow>[] {
  return [
    ...header.map((title, index): Column<BadRow> => ({
      title: textOf(title),
      kind: 'text',
      value: row => textOf(row.cells[index] ?? null),
    })),
    { title: 'Problem', kind: 'text', value: row => row.message },
  ]
}

function textOf(cell: Cell): string {
  return cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell ?? '')
}
