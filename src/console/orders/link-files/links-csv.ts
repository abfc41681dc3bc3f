import type { MadeLink } from '../../../imports/link-files.service.ts'
import { csvText } from '../../../platform/csv.rules.ts'
import { toRupees } from '../../../platform/money.ts'

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
  'pays_dues_of',
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
    link.studentId ?? '',
    link.isRepeated ? 'before' : 'now',
  ])
  const text = [HEADINGS, ...rows].map(cells => cells.map(csvText).join(',')).join('\r\n')
  return Buffer.from(`\uFEFF${text}\r\n`)
}
