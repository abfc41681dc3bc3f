import type { ReactNode } from 'react'
import { TableFrame } from './frame.tsx'

type Column<Row> = {
  title: string
  isAction?: boolean
  /** Amounts and counts, on the right. */
  isAmount?: boolean
  cell: (row: Row) => ReactNode
}

/**
 * A few rows without filters. On a phone a row becomes lines with their titles, as in DataTable, so that its actions
 * are not beside the screen; the roles are written down because a table that is displayed as blocks loses its own.
 */
export function ShortTable<Row>({
  name,
  columns,
  rows,
  rowId,
  isCompact = false,
}: {
  name: string
  /** Shows a row in about three lines on a phone, as DataTable does, instead of a line for each cell. Not for cells with inputs. */
  isCompact?: boolean
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowId: (row: Row) => string
}) {
  return (
    <TableFrame name={name}>
      <table className={`data-table stacks ${isCompact ? 'rows' : ''}`} role="table" aria-label={name}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, isAction, isAmount }) => (
              <th key={title} scope="col" role="columnheader" className={isAmount ? 'right' : undefined}>
                {isAction ? <span className="visually-hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(row => (
            <tr key={rowId(row)} role="row">
              {columns.map(({ title, isAction, isAmount, cell }) => (
                <td
                  key={title}
                  role="cell"
                  data-title={isAction ? '' : title}
                  className={isAction || isAmount ? 'right nowrap' : undefined}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  )
}
