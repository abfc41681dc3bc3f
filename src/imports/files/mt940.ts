import { parseDay } from '../../platform/calendar.ts'
import { paiseOf, parseRupees } from '../../platform/money.ts'
import type { FileRow, FileRows } from './columns.rules.ts'

/** Much more than a line has, so that what follows a line cannot grow with the file. */
const MAX_FIELD_CHARACTERS = 4_000
const MAX_TEXT = 500
const MAX_REFERENCE = 100

export function isMt940(head: string): boolean {
  return /(?:^|\n):20:/.test(head.slice(0, 2_000)) && /\n:(25|28C?|60[FM]):/.test(head.slice(0, 4_000))
}

/** A booking as its day, its paise (less than 0 went out), its text and its reference; null where it cannot be read. */
export type Mt940Row = FileRow & {
  cells: readonly [day: string, paise: number, text: string, reference: string | null] | readonly [false]
}

/** The bookings of a SWIFT MT940 statement, row by row of the file. */
export async function* readMt940(parts: readonly Buffer[]): AsyncGenerator<FileRows> {
  const text = Buffer.concat(parts).toString('utf8')
  for (const row of mt940Rows(text)) yield { rows: [row], share: 1 }
}

/** Reads bookings (:61:); the details behind each (:86:) are its text. */
export function* mt940Rows(text: string): Generator<Mt940Row> {
  let booking: Field | null = null
  let details = ''
  const finished = function* (): Generator<Mt940Row> {
    if (booking !== null) yield { rowNo: booking.rowNo, cells: cellsOf(booking.value, details) }
    booking = null
    details = ''
  }
  for (const field of fieldsOf(text)) {
    if (field.tag === '86' && booking !== null) details = field.value
    yield* finished()
    if (field.tag === '61') booking = field
  }
  yield* finished()
}

/** A tag at the beginning of a line, and what follows until the next one. */
type Field = { rowNo: number; tag: string; value: string }

function* fieldsOf(text: string): Generator<Field> {
  let field: Field | null = null
  let rowNo = 0
  for (const line of linesOf(text)) {
    rowNo++
    const found = /^:(\d{2}[A-Z]?):(.*)$/.exec(line)
    if (found !== null) {
      if (field !== null) yield field
      field = { rowNo, tag: found[1] ?? '', value: found[2] ?? '' }
    } else if (field !== null && field.value.length < MAX_FIELD_CHARACTERS && !/^-\}?$|^\{/.test(line))
      field.value += `\n${line}`
  }
  if (field !== null) yield field
}

/** One at a time: as a list they would take many times the memory of the file. */
function* linesOf(text: string): Generator<string> {
  const end = /\r\n|\n|\r/g
  let from = 0
  for (let found = end.exec(text); found !== null; found = end.exec(text)) {
    yield text.slice(from, Math.min(found.index, from + MAX_FIELD_CHARACTERS))
    from = end.lastIndex
  }
  yield text.slice(from, from + MAX_FIELD_CHARACTERS)
}

/** Value date, entry date, mark, funds code, amount, type; the references follow. */
const LINE = /^(\d{6})(\d{4})?(R?[CD])[A-Z]?(\d{1,15}(?:,\d{0,2})?)[NSF][A-Z0-9]{3}/

function cellsOf(value: string, details: string): Mt940Row['cells'] {
  const [first = '', ...more] = value.split('\n')
  const found = LINE.exec(first)
  if (found === null) return [false]
  const [prefix, valueDate = '', entry, mark = '', amountText = ''] = found
  const day = bookingDay(valueDate, entry)
  const amount = parseRupees(amountText.replace(',', '.').replace(/\.$/, ''))
  if (day === null || amount === null || amount === 0) return [false]
  const references = first
    .slice(prefix.length)
    .split('//')
    .map(one => one.trim())
    .filter(one => one !== '' && one !== 'NONREF')
  return [
    day,
    isCredit(mark) ? amount : paiseOf(0 - amount),
    squeezed(`${squeezed(more.join(' '))} ${details}`),
    references.join(' ').slice(0, MAX_REFERENCE) || null,
  ]
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TEXT)
}

/** A reversal of a debit comes in, one of a credit goes out. */
function isCredit(mark: string): boolean {
  return mark === 'C' || mark === 'RD'
}

/** A line is booked in the year of its value date, or across the turn of it. */
function bookingDay(valueDate: string, entry: string | undefined): string | null {
  const value = parseDay(`20${valueDate.slice(0, 2)}-${valueDate.slice(2, 4)}-${valueDate.slice(4)}`)
  if (value === null || entry === undefined) return value
  const year = Number(value.slice(0, 4))
  const [valueMonth, entryMonth] = [Number(value.slice(5, 7)), Number(entry.slice(0, 2))]
  const shift = valueMonth === 12 && entryMonth === 1 ? 1 : valueMonth === 1 && entryMonth === 12 ? -1 : 0
  return parseDay(`${year + shift}-${entry.slice(0, 2)}-${entry.slice(2)}`) ?? value
}
