import type { ProblemAnswer } from '../../../../src/console/orders/link-files/link-file.schemas.ts'
import type { Column } from '../table/data-table.tsx'
import { columnLabel } from './column-table.tsx'

type Labels = Readonly<Record<string, string>>

/** What is wrong with the rows of a file, in the words that the office has for its columns. */
export function problemColumns(labels: Labels): readonly Column<ProblemAnswer>[] {
  return [
    { key: 'row', title: 'Row', align: 'right', text: row => String(row.row) },
    { key: 'column', title: 'Column', text: row => columnLabel(row.column ?? '', labels) },
    { key: 'message', title: 'What is wrong', text: row => inWords(row.message, labels) },
  ]
}

/** A message names other columns as the server does. */
export function inWords(message: string, labels: Labels): string {
  const words = message.replaceAll(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, name =>
    labels[name] === undefined ? name : `“${labels[name]}”`,
  )
  return words.charAt(0).toUpperCase() + words.slice(1)
}
