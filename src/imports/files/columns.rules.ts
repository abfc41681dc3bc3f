import { type DayForm, exchangeDay, isSerial, readDayText, SERIAL_START } from './days.rules.ts'
import { DAY_MS } from '../../platform/calendar.ts'
import { isLikeFormula } from '../../platform/csv.rules.ts'
import { ROW } from '../../platform/limits.rules.ts'
import { largestOf } from '../../platform/lists.ts'
import { plainDigits } from '../../platform/names.ts'

/** A cell as a spreadsheet gives it; CSV has text only. */
export type Cell = string | number | boolean | Date | null

export type CellKind = 'text' | 'flag' | 'year' | 'amount' | 'day' | 'moment'

/** `days` says how this file writes its days, where somebody looked. */
export type Column = { name: string; kind: CellKind; isRequired: boolean; days?: DayForm | undefined }

/** Columns by their position in the file; null where a column means nothing here. */
export type Header = { columns: readonly (Column | null)[]; unknown: string[] }

export type HeaderDecision = { kind: 'read'; header: Header } | { kind: 'refused'; message: string }

const MAX_NAMED = 20
const MAX_NAME = 60
/** A title is among the first characters of its cell, or the cell is not one. */
const MAX_TITLE_READ = 500

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

/** The header of a file whose columns a person has named, by position. A name that is not known is that of an amount. */
export function placeHeader(
  known: readonly Column[],
  {
    names,
    titles,
    days,
  }: { names: readonly (string | null)[]; titles: readonly string[]; days: readonly DayForm[] },
  width: number,
): Header {
  const columns = Array.from({ length: width }, (_, index): Column | null => {
    const name = names[index] ?? null
    if (name === null) return null
    const column = known.find(one => one.name === name) ?? { name, kind: 'amount', isRequired: false }
    return { ...column, days: days[index] }
  })
  const unknown = titles.filter((title, index) => title !== '' && (columns[index] ?? null) === null)
  return { columns, unknown: unknown.slice(0, MAX_NAMED) }
}

function refused(message: string): HeaderDecision {
  return { kind: 'refused', message }
}

function listNames(columns: readonly Column[]): string {
  return columns.map(column => column.name).join(', ')
}

function titleOf(cell: Cell): string {
  const text = cell === null || cell instanceof Date ? '' : String(cell).slice(0, MAX_TITLE_READ)
  return Array.from(text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim())
    .slice(0, MAX_NAME)
    .join('')
}

/** "Date of birth *" and "DATE-OF-BIRTH" are date_of_birth. */
function normalise(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '')
}

/** A row by the names of its columns, as the API would be sent it; what is blank is absent. */
export type RawRow = Record<string, string | number | boolean>

export type RawProblem = { column: string; message: string }

/** The cells with what somebody wrote in place of some of them. */
export function correctCells(
  { columns }: Header,
  cells: readonly Cell[],
  corrections: readonly { column: string; value: string }[],
): readonly Cell[] {
  const values = new Map(corrections.map(({ column, value }) => [column, value]))
  const width = Math.max(cells.length, columns.length)
  return Array.from(
    { length: width },
    (_, index) => values.get(columns[index]?.name ?? '') ?? cells[index] ?? null,
  )
}

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
    const value = readCell(column, cell)
    if (value === ROUNDED) problems.push({ column: column.name, message: ROUNDED_WORDS })
    else row[column.name] = value
  }
  return isBlank ? null : { row, problems }
}

const ROUNDED = Symbol('rounded')
const ROUNDED_WORDS = 'is a number too long for a spreadsheet; format the column as text'

/** Reads a cell by its column; one that cannot be understood stays as it is, and the API's reader says what it should be. */
function readCell(
  { kind, days }: Column,
  cell: string | number | boolean | Date,
): string | number | boolean | typeof ROUNDED {
  if (cell instanceof Date) return inOrder(dateText(cell, kind), days)
  if (typeof cell === 'string') return readText(kind, unwrap(cell.trim()), days)
  if (typeof cell === 'boolean') return kind === 'flag' ? cell : String(cell).toUpperCase()
  if (kind === 'amount' || kind === 'year') return cell
  if (kind === 'flag' && (cell === 0 || cell === 1)) return cell === 1
  if (kind === 'day' || kind === 'moment') {
    const serial = serialText(cell, kind)
    return serial === null ? (readDayText(padDay(cell), days) ?? String(cell)) : inOrder(serial, days)
  }
  if (Number.isInteger(cell) && !Number.isSafeInteger(cell)) return ROUNDED
  return String(cell)
}

const DAY_DIGITS = 8

/** 1022016 is 01022016 that was taken for a number. */
export function padDay(cell: number): string {
  return String(cell).padStart(DAY_DIGITS, '0')
}

function inOrder(day: string, days: DayForm | undefined): string {
  return days?.isExchanged === true ? exchangeDay(day.slice(0, 10)) + day.slice(10) : day
}

/** Spreadsheets keep leading zeros by ="007", and ERPs keep formulas from running by an apostrophe. */
function unwrap(text: string): string {
  const kept = /^="(.*)"$/s.exec(text)?.[1]?.replaceAll('""', '"')
  if (kept !== undefined) return kept
  const rest = text.slice(1)
  return text.startsWith("'") && (isLikeFormula(rest) || /^\d/.test(rest)) ? rest : text
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
const GROUPED =
  /^(?:₹|rs\.?|inr)?[\s:]*(\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d{1,2})?|\d+(?:\.\d{1,2})?)\s*(?:\/[-=]?|only|rs\.?|₹)?$/i

function readText(kind: CellKind, text: string, days?: DayForm): string | boolean {
  switch (kind) {
    case 'flag':
      return FLAGS[text.toLowerCase()] ?? text
    case 'amount':
      return GROUPED.exec(plainDigits(text))?.[1]?.replaceAll(',', '') ?? text
    case 'day':
      return readDayText(text, days) ?? text
    case 'moment':
      return text.replace(/^(\S+)(?:\s+(\S.*))?$/s, (_, day: string, time?: string) =>
        time === undefined
          ? (readDayText(day, days) ?? day)
          : `${readDayText(day, days) ?? day}T${padTime(time)}`,
      )
    default:
      return text
  }
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** Why a day that is written as people write it is none: 31/02/2015. Null for anything else. */
export function impossibleDay(text: string): string | null {
  const [, day = '', , month = '', year = ''] = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/.exec(text.trim()) ?? []
  if (day === '') return null
  const name = MONTHS[Number(month) - 1]
  if (name === undefined) return `has the month ${month}; days are written day first, such as 20/06/2015`
  const { daysInMonth } = Temporal.PlainYearMonth.from({ year: Number(year), month: Number(month) })
  if (Number(day) >= 1 && Number(day) <= daysInMonth) return null
  return `is no day of the calendar: ${name} ${year} has ${daysInMonth} days`
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

/** A cell as people see it. */
export function cellText(cell: Cell): string {
  if (!(cell instanceof Date)) return String(cell ?? '')
  return Number.isFinite(cell.getTime()) ? cell.toISOString().slice(0, 10) : ''
}

/** A date whose cell lost its format is the number of days since then. */
function serialText(serial: number, kind: CellKind): string | null {
  if (!isSerial(serial)) return null
  return dateText(new Date(SERIAL_START + serial * DAY_MS), kind)
}

/** Where a file names its columns; above it stand the school's name and the like. */
export type Head = {
  /** The last row of the header: rows below it are read. */
  lastRowNo: number
  titles: string[]
  /** The lower row's own titles where the header has two rows; else the titles again. */
  lower: string[]
}

/** How far down the header may stand. */
export const HEAD_ROWS = 30
const MOST_COLUMNS = 60
/** What the file of rows to correct adds as its last column; a file that comes back is read without it. */
export const PROBLEM_TITLE = 'Problem'

/** One row as the header, or two of which the upper one names groups of columns. */
export function* possibleHeads(rows: readonly FileRow[]): Generator<Head, void, undefined> {
  for (const [index, { rowNo, cells }] of rows.slice(0, HEAD_ROWS).entries()) {
    const titles = titlesOf(cells)
    if (titles.every(title => title === '')) continue
    yield { lastRowNo: rowNo, titles, lower: titles }
    const next = rows[index + 1]
    const joined = next === undefined ? null : joinRows(titles, next)
    if (joined !== null) yield joined
  }
}

function titlesOf(cells: readonly Cell[]): string[] {
  const titles = cells.slice(0, MOST_COLUMNS).map(titleOf)
  return titles.at(-1) === PROBLEM_TITLE ? titles.slice(0, -1) : titles
}

/** A merged cell has its text in its first column only: what stands to the left of a gap is the title of the gap too. */
function joinRows(upper: readonly string[], { rowNo, cells }: FileRow): Head | null {
  if (cells.some(isOfData)) return null
  const lower = titlesOf(cells)
  const width = Math.max(upper.length, lower.length)
  let group = ''
  let isGrouped = false
  const titles = Array.from({ length: width }, (_, index) => {
    const [above, below] = [upper[index] ?? '', lower[index] ?? '']
    if (above !== '') group = above
    if (below === '') return above
    if (above === '' && group !== '') isGrouped = true
    return group === '' || group === below ? below : `${group} ${below}`
  })
  if (!isGrouped) return null
  return { lastRowNo: rowNo, titles, lower: titles.map((title, index) => lower[index] || title) }
}

/** Titles have no numbers of their own, such as phones and amounts. */
function isOfData(cell: Cell): boolean {
  const text = String(cell ?? '').replaceAll(/(?<!\d)20\d\d(?!\d)/g, '')
  return cell instanceof Date || typeof cell === 'number' || /\d{4}/.test(text)
}

/** The head of which most columns are known; where none is, the first row that is about as wide as the table. */
export function* chooseHead(
  rows: readonly FileRow[],
  known: (head: Head) => number,
): Generator<undefined, Head | null, undefined> {
  const heads: { head: Head; count: number }[] = []
  for (const head of possibleHeads(rows)) {
    heads.push({ head, count: known(head) })
    yield
  }
  // A head of one row wins a tie: one of two may have the school's name joined to its titles.
  const single = heads.filter(({ head }) => head.lower === head.titles)
  const best = [...single, ...heads].reduce((one, other) => (other.count > one.count ? other : one), {
    head: null as Head | null,
    count: 1,
  })
  if (best.head !== null) return best.head
  const widthOf = ({ titles }: Head): number => titles.filter(title => title !== '').length
  const widest = largestOf(heads.map(({ head }) => widthOf(head)))
  return heads.find(({ head }) => widthOf(head) * 2 >= widest)?.head ?? null
}

/** A row of a file as its spreadsheet counts: the header is row 1. */
export type FileRow = { rowNo: number; cells: readonly Cell[] }

/** Some rows, and how much of the file was read until then, from 0 to 1; sheets that are not read. */
export type FileRows = { rows: FileRow[]; share: number; otherSheets?: string[] }

/** Longer than any field is; what is longer still is cut. */
export function addToCell(text: string, more: string): string {
  return text.length < ROW.cellCharacters ? (text + more).slice(0, ROW.cellCharacters) : text
}

/** The file as a whole cannot be used; the message tells a person what to do. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused'
}

export type FileFormat = 'csv' | 'xlsx'

/** An XLSX file is a ZIP archive; everything else is taken for CSV. */
export function formatOf(head: Buffer): FileFormat {
  return head.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004')) ? 'xlsx' : 'csv'
}
