import { parseDay } from '../platform/calendar.ts'

/** What an import's file looks like: its columns, and what a cell says. */
export const IMPORT_KINDS = ['students', 'fees', 'payments'] as const
export type ImportKind = (typeof IMPORT_KINDS)[number]

export const IMPORT_MODES = ['all', 'good'] as const
export type ImportMode = (typeof IMPORT_MODES)[number]

export const IMPORT_STATES = ['checking', 'checked', 'running', 'done', 'failed', 'cancelled'] as const
export type ImportState = (typeof IMPORT_STATES)[number]

export const MAX_FILE_BYTES = 50_000_000
export const MAX_ROWS = 200_000
/** Of one student in one file. */
export const MAX_GROUP = 1_000
/** A file that is wrong in every row is not told of row by row. */
export const MAX_PROBLEMS_KEPT = 20_000
export const MAX_PROBLEMS_PER_ROW = 10

/** As a spreadsheet gives it; text from CSV. */
export type Cell = string | number | boolean | Date | null

type CellKind = 'text' | 'flag' | 'year' | 'amount' | 'day' | 'moment'

export type Column = { name: string; kind: CellKind; isRequired: boolean }

const required = (name: string, kind: CellKind = 'text'): Column => ({ name, kind, isRequired: true })
const optional = (name: string, kind: CellKind = 'text'): Column => ({ name, kind, isRequired: false })

const IDENTITY: readonly Column[] = [
  required('identifier'),
  required('grade'),
  required('academic_year_start', 'year'),
  required('academic_year_end', 'year'),
  optional('collector_code'),
]

export const COLUMNS: Record<ImportKind, readonly Column[]> = {
  students: [
    required('registration_id'),
    required('fullname'),
    ...IDENTITY,
    required('new_admission', 'flag'),
    required('date_of_birth', 'day'),
    required('primary_contact_name'),
    required('primary_contact_number'),
    required('primary_contact_email'),
    optional('custom_identifier'),
  ],
  fees: [
    ...IDENTITY,
    required('component_type'),
    required('fee_amount', 'amount'),
    optional('discount_type'),
    optional('discount_amount', 'amount'),
  ],
  payments: [
    ...IDENTITY,
    required('transaction_id'),
    required('component_type'),
    required('amount', 'amount'),
    required('paid_at', 'moment'),
    required('mode'),
    optional('settlement_utr'),
    optional('notes'),
  ],
}

/** By position in the file; null where the column means nothing here. */
export type Header = { columns: readonly (Column | null)[]; unknown: string[] }

export type HeaderDecision = { kind: 'read'; header: Header } | { kind: 'refused'; message: string }

const MAX_NAMED = 20
const MAX_NAME = 60

export function readHeader(importKind: ImportKind, cells: readonly Cell[]): HeaderDecision {
  return matchHeader(COLUMNS[importKind], `A file of ${importKind}`, cells)
}

/** The same for a file of anything else, with columns of its own. */
export function matchHeader(known: readonly Column[], what: string, cells: readonly Cell[]): HeaderDecision {
  const titles = cells.map(titleOf)
  const columns = titles.map(title => known.find(column => column.name === normalise(title)) ?? null)
  const twice = known.filter(column => columns.filter(one => one === column).length > 1)
  const missing = known.filter(column => column.isRequired && !columns.includes(column))
  if (columns.every(column => column === null)) {
    return refused(`The first row must name the columns. ${what} has: ${listNames(known)}.`)
  }
  if (missing.length > 0) return refused(`These columns are missing: ${listNames(missing)}.`)
  if (twice.length > 0) return refused(`These columns stand twice: ${listNames(twice)}.`)
  const unknown = titles.filter((title, index) => title !== '' && columns[index] === null)
  return { kind: 'read', header: { columns, unknown: unknown.slice(0, MAX_NAMED) } }
}

function refused(message: string): HeaderDecision {
  return { kind: 'refused', message }
}

function listNames(columns: readonly Column[]): string {
  return columns.map(column => column.name).join(', ')
}

function titleOf(cell: Cell): string {
  const text = cell === null || cell instanceof Date ? '' : String(cell)
  return Array.from(text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim())
    .slice(0, MAX_NAME)
    .join('')
}

/** "Date of birth *" and "DATE-OF-BIRTH" are date_of_birth. */
function normalise(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '')
}

/** A row by the names of its columns, as the API would be sent it; what is blank is absent. */
export type RawRow = Record<string, string | number | boolean>

export type RawProblem = { column: string; message: string }

/** Null when every cell is blank. */
export function takeRow(
  { columns }: Header,
  cells: readonly Cell[],
): { row: RawRow; problems: RawProblem[] } | null {
  const row: RawRow = {}
  const problems: RawProblem[] = []
  let isBlank = true
  for (const [index, cell] of cells.entries()) {
    if (cell === null || cell === '' || (typeof cell === 'string' && cell.trim() === '')) continue
    isBlank = false
    const column = columns[index]
    if (column === undefined) {
      problems.push({
        column: '',
        message: 'has more cells than the header; is a cell with a comma unquoted?',
      })
      break
    }
    if (column === null) continue
    const value = readCell(column.kind, cell)
    if (value === ROUNDED) problems.push({ column: column.name, message: ROUNDED_WORDS })
    else row[column.name] = value
  }
  return isBlank ? null : { row, problems }
}

const ROUNDED = Symbol('rounded')
const ROUNDED_WORDS = 'is a number too long for a spreadsheet; format the column as text'

/** What cannot be understood comes back as it is, for the reader of the API to say what it should be. */
function readCell(
  kind: CellKind,
  cell: string | number | boolean | Date,
): string | number | boolean | typeof ROUNDED {
  if (cell instanceof Date) return dateText(cell, kind)
  if (typeof cell === 'string') return readText(kind, unwrap(cell.trim()))
  if (typeof cell === 'boolean') return kind === 'flag' ? cell : String(cell).toUpperCase()
  if (kind === 'amount' || kind === 'year') return cell
  if (kind === 'flag' && (cell === 0 || cell === 1)) return cell === 1
  if (kind === 'day' || kind === 'moment') return serialText(cell, kind) ?? String(cell)
  if (Number.isInteger(cell) && !Number.isSafeInteger(cell)) return ROUNDED
  return String(cell)
}

/** Spreadsheets keep leading zeros by ="007", and ERPs keep formulas from running by an apostrophe. */
function unwrap(text: string): string {
  return /^="(.*)"$/s.exec(text)?.[1]?.replaceAll('""', '"') ?? /^'([=+\-@\d].*)$/s.exec(text)?.[1] ?? text
}

const FLAGS: Record<string, boolean> = {
  true: true,
  yes: true,
  y: true,
  '1': true,
  false: false,
  no: false,
  n: false,
  '0': false,
}
const GROUPED = /^(?:₹|rs\.?|inr)?\s*(\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d{1,2})?|\d+(?:\.\d{1,2})?)$/i

function readText(kind: CellKind, text: string): string | boolean {
  switch (kind) {
    case 'flag':
      return FLAGS[text.toLowerCase()] ?? text
    case 'amount':
      return GROUPED.exec(text)?.[1]?.replaceAll(',', '') ?? text
    case 'day':
      return dayFirst(text)
    case 'moment':
      return text.replace(/^(\S+)(?:\s+(\S.*))?$/s, (_, day: string, time?: string) =>
        time === undefined ? dayFirst(day) : `${dayFirst(day)}T${padTime(time)}`,
      )
    default:
      return text
  }
}

/** 20/06/2015 as it is written in India: the day first. */
function dayFirst(text: string): string {
  const [, day = '', month = '', year = ''] =
    /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/.exec(text)?.toSpliced(2, 1) ?? []
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return parseDay(iso) ?? text
}

function padTime(time: string): string {
  return /^\d:/.test(time) ? `0${time}` : time
}

/** A spreadsheet's date has no zone: its face is what counts, and the face is Indian time. */
function dateText(date: Date, kind: CellKind): string {
  if (!Number.isFinite(date.getTime())) return 'not a date'
  const text = new Date(Math.round(date.getTime() / 1_000) * 1_000).toISOString().slice(0, 19)
  const isMidnight = text.endsWith('T00:00:00')
  return kind === 'moment' && !isMidnight ? text : isMidnight ? text.slice(0, 10) : text
}

const MS_PER_DAY = 86_400_000
/** Day 0 of a spreadsheet; from 1900-03-01 on, before which its calendar has a day too many. */
const SERIAL_START = Date.UTC(1899, 11, 30)
const FIRST_SERIAL = 61
const LAST_SERIAL = 2_958_465

/** A date whose cell lost its format is the number of days since then. */
function serialText(serial: number, kind: CellKind): string | null {
  if (serial < FIRST_SERIAL || serial > LAST_SERIAL) return null
  return dateText(new Date(SERIAL_START + serial * MS_PER_DAY), kind)
}

/** The column that tells apart what a file says of one student. */
const UNIT_COLUMN: Record<ImportKind, string | null> = {
  students: null,
  fees: 'component_type',
  payments: 'transaction_id',
}

export type RowKeys = { student: string; unit: string }

/** Which student a row is about, and what of it; from what was written, so that unreadable rows have one too. */
export function keysOf(importKind: ImportKind, row: RawRow, branch: string): RowKeys {
  const { identifier = '', grade = '', academic_year_start = '', academic_year_end = '' } = row
  const parts = [identifier, grade, academic_year_start, academic_year_end, row['collector_code'] ?? branch]
  const unit = row[UNIT_COLUMN[importKind] ?? ''] ?? ''
  // As JSON: no two rows share a key by chance, and no character is left that a database cannot hold.
  return { student: JSON.stringify(parts.map(String)), unit: unit === '' ? '' : JSON.stringify(String(unit)) }
}

type Wanted = { mode: ImportMode; isDryRun: boolean }
type Counted = { totalRows: number; badRows: number }

/** It waits when nobody asked for more than the check, or when all was asked for and not all is good. */
export function stateAfterCheck({ mode, isDryRun }: Wanted, { badRows }: Counted): 'checked' | 'running' {
  return isDryRun || (mode === 'all' && badRows > 0) ? 'checked' : 'running'
}

export function waitingWords({ isDryRun }: Wanted, { totalRows, badRows }: Counted): string | null {
  if (badRows === 0) return isDryRun ? 'All rows are good. Nothing has been applied yet.' : null
  const all = `${badRows} of ${totalRows} rows ${badRows === 1 ? 'is' : 'are'} bad, so nothing was applied.`
  return `${all} Correct them and send the file again, or apply the good rows only.`
}
