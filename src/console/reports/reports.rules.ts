import { INDIA, DAY_MS } from '../../platform/calendar.ts'
import { csvText } from '../../platform/csv.rules.ts'
import { toRupees, type Paise } from '../../platform/money.ts'
import { badField } from '../../platform/errors.ts'

/** A column of a report, the same in every kind of file. */
export type Column<Row> = {
  title: string
  kind: CellKind
  value: (row: Row) => CellValue
}

/** money: rupees. day: YYYY-MM-DD. moment: shown in Indian time. */
export type CellKind = 'text' | 'money' | 'count' | 'day' | 'moment'
export type CellValue = string | number | Date | null

const column =
  (kind: CellKind) =>
  <Row>(title: string, value: (row: Row) => CellValue): Column<Row> => ({ title, kind, value })

export const text = column('text')
export const count = column('count')
export const day = column('day')
export const money = <Row>(title: string, value: (row: Row) => Paise | null): Column<Row> => ({
  title,
  kind: 'money',
  value: row => {
    const amountPaise = value(row)
    return amountPaise === null ? null : toRupees(amountPaise)
  },
})

export const FORMATS = ['csv', 'xlsx', 'tally'] as const
export type Format = (typeof FORMATS)[number]

/** What a file can hold. A spreadsheet is made whole in memory; the others are written as they are read. */
export const MOST_ROWS: Record<Format, number> = { csv: 100_000, tally: 100_000, xlsx: 25_000 }

export const MEDIA_TYPES: Record<Format, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  tally: 'application/xml; charset=utf-8',
}

/** Why a file would be too large, and what to do about it; null when it is not. */
export function tooLarge(rows: number, format: Format): string | null {
  if (rows <= MOST_ROWS[format]) return null
  const most = MOST_ROWS[format].toLocaleString('en-IN')
  return format === 'xlsx' && rows <= MOST_ROWS.csv
    ? `A spreadsheet holds at most ${most} rows and this has more. Export it as CSV, or narrow the filters.`
    : `A file holds at most ${most} rows and this has more. Narrow the filters, such as the range of days.`
}

/** daily-collection-2026-04-05.csv; for Tally `.xml`. */
export function fileName(name: string, day: string, format: Format): string {
  return `${name}-${day}.${format === 'tally' ? 'xml' : format}`
}

// Excel takes a file for UTF-8 only if it begins with the mark.
const BYTE_ORDER_MARK = '\uFEFF'

export function csvHead<Row>(columns: readonly Column<Row>[]): string {
  return BYTE_ORDER_MARK + csvLine(columns.map(({ title }) => csvText(title)))
}

export function csvRow<Row>(columns: readonly Column<Row>[], row: Row): string {
  return csvLine(columns.map(column => csvCell(column.kind, column.value(row))))
}

function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`
}

function csvCell(kind: CellKind, value: CellValue): string {
  if (value === null) return ''
  switch (kind) {
    case 'money':
      return Number(value).toFixed(2)
    case 'count':
      return String(value)
    case 'day':
      return indianDay(String(value))
    case 'moment':
      return indianMoment(value as Date)
    case 'text':
      return csvText(String(value))
    default:
      return kind satisfies never
  }
}

/** 05/04/2026 */
export function indianDay(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-')
  return `${date}/${month}/${year}`
}

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  timeZone: INDIA,
  day: '2-digit',
  month: '2-digit',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** 05/04/2026 09:30, of India. */
export function indianMoment(moment: Date): string {
  return MOMENT.format(moment).replace(',', '')
}

/** How late a due is, by the institute's due days; what has none stands by itself. */
const BUCKETS = ['not_due', 'days_0_30', 'days_31_60', 'days_61_90', 'days_over_90', 'no_due_day'] as const
export type Bucket = (typeof BUCKETS)[number]

/** What the list of those who owe can be narrowed to: all who are late, or one bucket. */
export const DEFAULTER_BUCKETS = ['late', ...BUCKETS] as const
export type DefaulterBucket = (typeof DEFAULTER_BUCKETS)[number]

export const GROUPINGS = ['component', 'grade', 'branch'] as const
export type Grouping = (typeof GROUPINGS)[number]

/** Days late, from and to; what is due today is not late. */
export const LATE_DAYS: Record<
  Exclude<Bucket, 'not_due' | 'no_due_day'>,
  readonly [number, number | null]
> = {
  days_0_30: [1, 30],
  days_31_60: [31, 60],
  days_61_90: [61, 90],
  days_over_90: [91, null],
}

const CURSOR = /^(\d{4}-\d{2}-\d{2})\.([A-Za-z0-9_-]{1,50})$/
const NEVER = '9999-12-31'

/** Where a page ended: the list is by the oldest due day, and who has none comes last. */
export function dueCursor(row: { oldestDueOn: string | null; studentId: string }): string {
  return `${row.oldestDueOn ?? NEVER}.${row.studentId}`
}

export function parseDueCursor(text: string): { dueOn: string; studentId: string } | null {
  const [, dueOn, studentId] = CURSOR.exec(text) ?? []
  if (dueOn === undefined || studentId === undefined || Number.isNaN(Date.parse(dueOn))) return null
  return { dueOn, studentId }
}

/** How money came: paid by somebody online, debited under a mandate, taken at the counter, or lent. */
export const SOURCES = ['online', 'flex', 'direct', 'cred'] as const
export type Source = (typeof SOURCES)[number]

export const KINDS = ['payment', 'refund'] as const

export const PERIODS = ['day', 'month'] as const
export type Period = (typeof PERIODS)[number]

export type Days = { from: string; to: string }

/** What a page can show of days, and of months. */
const MOST_DAYS: Record<Period, number> = { day: 92, month: 1_100 }

/** The days asked for, else the present month. */
export function readDays(sent: Partial<Days>, period: Period, today: string): Days {
  const to = sent.to ?? today
  const from = sent.from ?? `${to.slice(0, 8)}01`
  if (to < from) throw badField('to', 'must not be before from')
  if ((Date.parse(to) - Date.parse(from)) / DAY_MS >= MOST_DAYS[period]) {
    const hint = period === 'day' ? '; ask for months to see more' : ''
    throw badField('to', `must be at most ${MOST_DAYS[period]} days after from${hint}`)
  }
  return { from, to }
}
