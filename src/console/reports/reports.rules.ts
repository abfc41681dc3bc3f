import { INDIA } from '../../platform/calendar.ts'
import { csvText } from '../../platform/csv.rules.ts'
import { toRupees, type Paise } from '../../platform/money.ts'

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
