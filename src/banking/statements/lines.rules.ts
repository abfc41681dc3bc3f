import { addDays } from '../../platform/calendar.ts'
import { paiseOf, type Paise } from '../../platform/money.ts'
import { readAmount, readDay, type Cell, type Columns, type Row } from './columns.rules.ts'

export const LINE_STATES = ['open', 'matched', 'other'] as const
export type LineState = (typeof LINE_STATES)[number]

export type StatementFormat = 'csv' | 'xlsx' | 'mt940'

/** What a bank booked on an account: more than 0 came in, less went out. */
export type StatementLine = {
  day: string
  amountPaise: Paise
  text: string
  reference: string | null
  balancePaise: Paise | null
}

export type LineProblem = { rowNo: number; message: string }

/**
 * The line of a row, or what is wrong with it. Null: rows without a day are the bank's own headings and totals, rows
 * without an amount carry a balance forward.
 */
export function lineOf({ rowNo, cells }: Row, columns: Columns): StatementLine | string | null {
  if (rowNo <= columns.headerRow) return null
  const day = readDay(at(cells, columns.date))
  if (day === null) return null
  const amountPaise = amountOf(cells, columns)
  if (amountPaise === undefined) return 'The amount cannot be read'
  if (amountPaise === null || amountPaise === 0) return null
  return {
    day,
    amountPaise,
    text: textOf(at(cells, columns.text)).slice(0, 500),
    reference: textOf(at(cells, columns.reference)).slice(0, 100) || null,
    balancePaise: readAmount(at(cells, columns.balance)) ?? null,
  }
}

/** Reads a row of an MT940 file, whose reader already knows what each cell is. */
export function bookedLine({ cells }: Row): StatementLine | string {
  const [day, paise, text, reference = null] = cells
  if (typeof day !== 'string' || typeof paise !== 'number') return 'The line :61: cannot be read'
  return {
    day,
    amountPaise: paiseOf(paise),
    text: textOf(text),
    reference: reference === null ? null : textOf(reference),
    balancePaise: null,
  }
}

function amountOf(cells: readonly Cell[], { credit, debit, mark }: Columns): Paise | null | undefined {
  const came = readAmount(at(cells, credit))
  if (mark !== null && came !== null && came !== undefined) {
    const isDebit = /^d/i.test(textOf(at(cells, mark)))
    return isDebit ? paiseOf(0 - Math.abs(came)) : came
  }
  const went = readAmount(at(cells, debit))
  if (came === undefined || went === undefined) return undefined
  if (came === null && went === null) return null
  return paiseOf((came ?? 0) - Math.abs(went ?? 0))
}

function at(cells: readonly Cell[], index: number | null): Cell | undefined {
  return index === null ? undefined : cells[index]
}

function textOf(cell: Cell | undefined): string {
  if (cell === null || cell === undefined || cell instanceof Date) return ''
  return String(cell).replaceAll(/\s+/g, ' ').trim()
}

const [LEAST_NAME, MOST_NAME, MOST_PARTS] = [3, 24, 3]

/** Lists the parts of a line's text that may be an admission number, without the signs between its parts: ADM-1042 is ADM1042. */
export function namesIn({ text, reference }: Pick<StatementLine, 'text' | 'reference'>): string[] {
  const parts = `${text} ${reference ?? ''}`.toUpperCase().match(/[A-Z0-9]+/g) ?? []
  const names = parts.flatMap((_part, at) =>
    Array.from({ length: MOST_PARTS }, (_none, more) => parts.slice(at, at + more + 1).join('')),
  )
  return [...new Set(names)].filter(
    name => name.length >= LEAST_NAME && name.length <= MOST_NAME && /\d/.test(name),
  )
}

export type KeyedLine = StatementLine & { digest: string; occurrence: number }

export function lineKey({ digest, occurrence }: Pick<KeyedLine, 'digest' | 'occurrence'>): string {
  return `${digest} ${occurrence}`
}

/**
 * Keys by which a line is recognised in another statement: its text, and its number among the lines of its day with the
 * same text. Balances are left out: banks give them in one format and not in another.
 */
export class LineKeys {
  readonly #digestOf: (text: string) => string
  readonly #seen = new Map<string, number>()

  constructor(digestOf: (text: string) => string) {
    this.#digestOf = digestOf
  }

  of(line: StatementLine): KeyedLine {
    const { day, amountPaise, text, reference } = line
    const digest = this.#digestOf(JSON.stringify([day, amountPaise, squeeze(text), squeeze(reference ?? '')]))
    const occurrence = (this.#seen.get(digest) ?? 0) + 1
    this.#seen.set(digest, occurrence)
    return { ...line, digest, occurrence }
  }
}

function squeeze(text: string): string {
  return text.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** Days of an account between two statements that no statement has. */
export type Gap = {
  /** The last day before it that a statement has, and the first one after it. */
  after: string
  before: string
  /** Balances after the lines of that last day, and before the lines of that first one; empty where the files have none. */
  closing: readonly Paise[]
  opening: readonly Paise[]
}

export type UncoveredDays = { from: string; to: string; isMoneyMissing: boolean }

/**
 * A statement ends with its last line, so a quiet week-end between two of them looks like a gap. Where the balances meet
 * nothing was booked; where both are known and do not meet something was; else nobody knows, and it counts as a gap.
 */
export function uncovered(gaps: readonly Gap[]): UncoveredDays[] {
  return gaps
    .filter(({ closing, opening }) => !closing.some(balance => opening.includes(balance)))
    .map(({ after, before, closing, opening }) => ({
      from: addDays(after, 1),
      to: addDays(before, -1),
      isMoneyMissing: closing.length > 0 && opening.length > 0,
    }))
}

export type Coverage = {
  firstDay: string | null
  lastDay: string | null
  firstOpenDay: string | null
  /** They are in the order of their days. */
  gaps: readonly Pick<UncoveredDays, 'from'>[]
}

/** The last day up to which every day is on a statement and every line is decided; null while not even the first is. */
export function reconciledThrough({ firstDay, lastDay, firstOpenDay, gaps }: Coverage): string | null {
  if (firstDay === null || lastDay === null) return null
  const stops = [firstOpenDay, gaps[0]?.from].filter(day => day !== null && day !== undefined)
  const [through] = [lastDay, ...stops.map(day => addDays(day, -1))].toSorted()
  return through !== undefined && through >= firstDay ? through : null
}
