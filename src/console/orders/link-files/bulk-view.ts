import { paiseOf, toRupees } from '../../../platform/money.ts'
import { newLinks } from './bulk.rules.ts'
import type { BatchAnswer, ProblemAnswer } from './bulk.schemas.ts'
import type { LinkBatch, MadeLink, Problem } from './bulk.service.ts'

export function batchView(batch: LinkBatch): BatchAnswer {
  const { totalRows, badRows, madeRows, repeatedRows, failedRows } = batch
  const good = totalRows - badRows
  const done = madeRows + repeatedRows + failedRows
  return {
    id: batch.id,
    state: batch.state,
    file_name: batch.fileName,
    unknown_columns: batch.unknownColumns,
    channels: batch.channels,
    language: batch.language,
    rows: {
      total: totalRows,
      bad: badRows,
      known: batch.knownRows,
      to_make: newLinks(batch),
      made: madeRows,
      repeated: repeatedRows,
      failed: failedRows,
    },
    progress: good === 0 || batch.state === 'done' ? 100 : Math.floor((done / good) * 100),
    created_by: batch.createdBy,
    created_at: batch.createdAt.toISOString(),
    ...(batch.startedAt === null ? {} : { started_at: batch.startedAt.toISOString() }),
    ...(batch.finishedAt === null ? {} : { finished_at: batch.finishedAt.toISOString() }),
  }
}

export function problemView({ rowNo, column, message }: Problem): ProblemAnswer {
  return { row: rowNo, ...(column === '' ? {} : { column }), message }
}

const HEADINGS = [
  'row',
  'name',
  'phone',
  'email',
  'identifier',
  'student_name',
  'amount',
  'order_id',
  'link',
  'made',
]

/** A file that spreadsheets open rightly; the mark at its beginning tells Excel that it is UTF-8. */
export function linksCsv(links: readonly MadeLink[], urlOf: (orderId: string) => string): Buffer {
  const rows = links.map(link => [
    String(link.rowNo),
    link.name,
    link.phone,
    link.email,
    link.identifier ?? '',
    link.studentName ?? '',
    String(toRupees(paiseOf(link.amountPaise))),
    link.orderId,
    urlOf(link.orderId),
    link.isRepeated ? 'before' : 'now',
  ])
  const text = [HEADINGS, ...rows].map(cells => cells.map(cell).join(',')).join('\r\n')
  return Buffer.from(`\uFEFF${text}\r\n`)
}

/** A text that begins like a formula would be run as one by whoever opens the file. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
