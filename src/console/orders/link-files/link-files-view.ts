import type { Import } from '../../../imports/imports.service.ts'
import { newLinks } from '../../../imports/kinds/links/links.rules.ts'
import type { MadeLink } from '../../../imports/link-files.service.ts'
import { toRupees } from '../../../platform/money.ts'
import type { BatchAnswer } from './link-files.schemas.ts'

export function batchView(batch: Import): BatchAnswer {
  const { totalRows, failedRows, appliedRows, unchangedRows } = batch
  const badRows = batch.badRows - failedRows
  const good = totalRows - badRows
  const done = appliedRows + unchangedRows + failedRows
  return {
    id: batch.id,
    state: batch.state as BatchAnswer['state'],
    file_name: batch.fileName ?? '',
    unknown_columns: batch.unknownColumns,
    channels: batch.options?.channels ?? [],
    language: batch.options?.language ?? 'en',
    rows: {
      total: totalRows,
      bad: badRows,
      known: batch.knownRows,
      to_make: newLinks(batch),
      made: appliedRows,
      repeated: unchangedRows,
      failed: failedRows,
    },
    progress: good === 0 || batch.state === 'done' ? 100 : Math.floor((done / good) * 100),
    created_by: batch.createdBy ?? '',
    created_at: batch.createdAt.toISOString(),
    ...(batch.startedAt === null ? {} : { started_at: batch.startedAt.toISOString() }),
    ...(batch.finishedAt === null ? {} : { finished_at: batch.finishedAt.toISOString() }),
  }
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
    String(toRupees(link.amountPaise)),
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
