import { DAY_MS, parseDay } from '../../platform/calendar.ts'
import { parseRupees, paiseOf, type Paise } from '../../platform/money.ts'

/** A cell as the file gives it; a spreadsheet may hold a day as a date or a number. */
export type Cell = string | number | boolean | Date | null
export type Row = { rowNo: number; cells: readonly Cell[] }

const ROLES = ['date', 'text', 'reference', 'debit', 'credit', 'mark', 'balance'] as const
type ColumnRole = (typeof ROLES)[number]

/**
 * Where a statement has what, by the place of a column. With a `mark` (Dr or Cr) `credit` is the amount of either;
 * without a mark and `debit`, amounts that are less than 0 were debited.
 */
export type Columns = { headerRow: number } & { [Role in ColumnRole]: number | null }

/** How banks title each column; of two columns that fit, the first one is taken. */
const TITLES: Record<ColumnRole, RegExp> = {
  date: /^(tran|txn|transaction|post|posting|book|entry)?\s*(date|dt)$|^value\s*(date|dt)$/,
  text: /narration|description|particulars|remarks|details/,
  reference: /utr|(chq|cheque|ref)/,
  debit: /^(debit|withdrawal|dr)\b|^(debit|withdrawals?)/,
  credit: /^(credit|deposit|cr)\b|^(credit|deposits?)|^amount/,
  mark: /^(dr|cr|debit|credit)\s*(cr|dr|credit|debit)$|^type$/,
  balance: /balance|^bal$/,
}

/** How far down the titles may stand: below them is the table. */
export const HEAD_ROWS = 60
const WIDEST = 40
/** Titles stand in the first columns, and at the beginning of their cells. */
const MOST_COLUMNS = 60
const MAX_TITLE_READ = 200
/** No day and no amount is longer. */
const LONGEST = 40

/** The first row that names a day and an amount; what stands above it is the bank's letterhead. */
export function guessColumns(rows: readonly Row[]): Columns | null {
  for (const row of rows.slice(0, HEAD_ROWS)) {
    const columns = columnsOf(row)
    if (columns.date !== null && columns.credit !== null) return columns
  }
  return null
}

/** The widest of the first rows stands for the heading of a file that is not recognised: a person names its columns. */
export function headOf(rows: readonly Row[]): Row | null {
  const [widest] = rows.slice(0, WIDEST).toSorted((one, other) => other.cells.length - one.cells.length)
  return widest ?? null
}

function columnsOf({ rowNo, cells }: Row): Columns {
  const titles = cells.slice(0, MOST_COLUMNS).map(titleOf)
  const taken = new Set<number>()
  const find = (role: ColumnRole): number | null => {
    const at = titles.findIndex((title, index) => !taken.has(index) && TITLES[role].test(title))
    if (at < 0) return null
    taken.add(at)
    return at
  }
  // "Dr / Cr" would be taken for a debit, so the mark is looked for first.
  const [mark, date, balance] = [find('mark'), find('date'), find('balance')]
  const [debit, credit, reference, text] = [find('debit'), find('credit'), find('reference'), find('text')]
  return { headerRow: rowNo, date, text, reference, debit, credit, mark, balance }
}

export function titleOf(cell: Cell | undefined): string {
  const text = typeof cell === 'string' ? cell : ''
  return text
    .slice(0, MAX_TITLE_READ)
    .toLowerCase()
    .replaceAll(/\([^()]*\)|[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .slice(0, 60)
}

/** Matched once by hand, a bank's file is recognised by its titles wherever they stand. */
export type RememberedTitles = Partial<Record<ColumnRole, string>>

export function titlesOf(header: readonly Cell[], columns: Columns): RememberedTitles {
  const known = ROLES.flatMap(role => {
    const at = columns[role]
    return at === null || titleOf(header[at]) === '' ? [] : [[role, titleOf(header[at])]]
  })
  return Object.fromEntries(known) as RememberedTitles
}

export function recallColumns(rows: readonly Row[], titles: RememberedTitles): Columns | null {
  if (titles.date === undefined || titles.credit === undefined) return null
  for (const { rowNo, cells } of rows.slice(0, HEAD_ROWS)) {
    const here = cells.slice(0, MOST_COLUMNS).map(titleOf)
    const found = ROLES.map(role => {
      const title = titles[role]
      return [role, title === undefined ? null : here.indexOf(title)] as const
    })
    if (found.every(([, at]) => at !== -1))
      return { headerRow: rowNo, ...Object.fromEntries(found) } as Columns
  }
  return null
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const SERIAL_START = Date.UTC(1899, 11, 30)

/** 17/11/26, 17-Nov-2026, 17 Nov 26, 2026-11-17; the day first, as in India. */
export function readDay(cell: Cell | undefined): string | null {
  if (cell instanceof Date) return Number.isFinite(cell.getTime()) ? cell.toISOString().slice(0, 10) : null
  if (typeof cell === 'number')
    return cell > 36_000 && cell < 80_000
      ? new Date(SERIAL_START + Math.floor(cell) * DAY_MS).toISOString().slice(0, 10)
      : null
  if (typeof cell !== 'string') return null
  const text = withoutTime(cell.trim().replace(/^'/, '').slice(0, LONGEST))
  const iso = /^\d{4}-\d{2}-\d{2}$/.exec(text)
  if (iso !== null) return parseDay(text)
  const parts = /^(\d{1,2})[\s/.-]+(\d{1,2}|[A-Za-z]{3,9})[\s/.,-]+(\d{2}|\d{4})$/.exec(text)
  if (parts === null) return null
  const [, day = '', monthText = '', yearText = ''] = parts
  const named = MONTHS.indexOf(monthText.slice(0, 3).toLowerCase()) + 1
  const month = /^\d/.test(monthText) ? Number(monthText) : named
  const year = yearText.length === 2 ? `20${yearText}` : yearText
  return parseDay(`${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`)
}

/** 17/11/2026 10:15:00 and 2026-11-17T10:15. */
function withoutTime(text: string): string {
  const colon = text.indexOf(':')
  if (colon < 0) return text
  return text
    .slice(0, colon)
    .replace(/[T ]\d{1,2}$/, '')
    .trim()
}

/** Paise, less than 0 for (500.00), -500 or 500 Dr; null for a blank, undefined for what is no amount. */
export function readAmount(cell: Cell | undefined): Paise | null | undefined {
  if (cell === null || cell === undefined) return null
  if (typeof cell === 'number') return signed(parseRupees(Math.abs(cell)), cell < 0)
  if (typeof cell !== 'string') return undefined
  const text = cell.slice(0, LONGEST).replaceAll(/[\s']/g, '')
  if (text === '' || text === '-') return null
  const found = /^(\(|-)?(?:₹|rs\.?|inr)?([\d,]+(?:\.\d{1,2})?)\)?(cr|dr)?\.?$/i.exec(text)
  if (found === null) return undefined
  const [, minus, digits = '', mark] = found
  return signed(parseRupees(digits.replaceAll(',', '')), minus !== undefined || mark?.toLowerCase() === 'dr')
}

function signed(amount: Paise | null, isNegative: boolean): Paise | undefined {
  if (amount === null) return undefined
  return isNegative ? paiseOf(0 - amount) : amount
}
