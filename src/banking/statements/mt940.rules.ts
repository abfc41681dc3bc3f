import { parseDay } from '../../platform/calendar.ts'
import { paiseOf, parseRupees } from '../../platform/money.ts'
import type { LineProblem, StatementLine } from './lines.rules.ts'

/** A tag at the beginning of a line, and what follows until the next one. */
type Field = { rowNo: number; tag: string; value: string }

export function isMt940(head: string): boolean {
  return /(?:^|\n):20:/.test(head.slice(0, 2_000)) && /\n:(25|28C?|60[FM]):/.test(head.slice(0, 4_000))
}

function fieldsOf(text: string): Field[] {
  const fields: Field[] = []
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const found = /^:(\d{2}[A-Z]?):(.*)$/.exec(line)
    const last = fields.at(-1)
    if (found !== null) fields.push({ rowNo: index + 1, tag: found[1] ?? '', value: found[2] ?? '' })
    else if (last !== undefined && !/^-\}?$|^\{/.test(line)) last.value += `\n${line}`
  }
  return fields
}

/** Value date, entry date, mark, funds code, amount, type; the references follow. */
const LINE = /^(\d{6})(\d{4})?(R?[CD])[A-Z]?(\d{1,15}(?:,\d{0,2})?)[NSF][A-Z0-9]{3}/

/** The lines of a SWIFT MT940 statement; what belongs to a line (:86:) is its text. */
export function readMt940(text: string): { lines: StatementLine[]; problems: LineProblem[] } {
  const lines: StatementLine[] = []
  const problems: LineProblem[] = []
  let current: StatementLine | null = null
  for (const { rowNo, tag, value } of fieldsOf(text)) {
    if (tag === '61') {
      current = lineOf(value)
      if (current === null) problems.push({ rowNo, message: 'The line :61: cannot be read' })
      else lines.push(current)
    } else if (tag === '86' && current !== null) {
      current.text = `${current.text} ${value}`.replaceAll(/\s+/g, ' ').trim().slice(0, 500)
      current = null
    } else current = null
  }
  return { lines, problems }
}

function lineOf(value: string): StatementLine | null {
  const [first = '', ...details] = value.split('\n')
  const found = LINE.exec(first)
  if (found === null) return null
  const [prefix, valueDate = '', entry, mark = '', amountText = ''] = found
  const day = bookingDay(valueDate, entry)
  const amount = parseRupees(amountText.replace(',', '.').replace(/\.$/, ''))
  if (day === null || amount === null || amount === 0) return null
  const references = first
    .slice(prefix.length)
    .split('//')
    .map(one => one.trim())
    .filter(one => one !== '' && one !== 'NONREF')
  return {
    day,
    amountPaise: isCredit(mark) ? amount : paiseOf(0 - amount),
    text: details.join(' ').replaceAll(/\s+/g, ' ').trim().slice(0, 500),
    reference: references.join(' ').slice(0, 100) || null,
    balancePaise: null,
  }
}

/** A reversal of a debit comes in, one of a credit goes out. */
function isCredit(mark: string): boolean {
  return mark === 'C' || mark === 'RD'
}

/** Booked in the year of its value date, or across the turn of it. */
function bookingDay(valueDate: string, entry: string | undefined): string | null {
  const value = parseDay(`20${valueDate.slice(0, 2)}-${valueDate.slice(2, 4)}-${valueDate.slice(4)}`)
  if (value === null || entry === undefined) return value
  const year = Number(value.slice(0, 4))
  const [valueMonth, entryMonth] = [Number(value.slice(5, 7)), Number(entry.slice(0, 2))]
  const shift = valueMonth === 12 && entryMonth === 1 ? 1 : valueMonth === 1 && entryMonth === 12 ? -1 : 0
  return parseDay(`${year + shift}-${entry.slice(0, 2)}-${entry.slice(2)}`) ?? value
}
