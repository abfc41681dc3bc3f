import type { RawRow } from '../files/columns.rules.ts'
import type { DayForm } from '../files/days.rules.ts'

/** What the columns of a school's own file are, by position; null: left out. */
export type FileColumns = {
  names: (string | null)[]
  /** The file's own titles: the next file with the same ones is matched in the same way. */
  titles: string[]
  /** The last row of its header. */
  headRow: number
  /** How each column writes days. */
  days: DayForm[]
  /** Values for all rows, such as the academic year. */
  defaults: RawRow
}

/** Titles that schools give a field's column, letters and digits only, tried in this order after the field's own name. */
export type Titles<Field extends string> = readonly (readonly [Field, RegExp])[]

type Fee = { code: string; name: string }

export type KnownColumns = { fields: Titles<string>; fees: readonly Fee[] }

const FEE = 'fee:'

/** The fee that a column holds amounts of. */
export function feeCodeOf(column: string): string | null {
  return column.startsWith(FEE) ? column.slice(FEE.length) : null
}

/** Headings with one of these words are of sums or payments and not of a fee. */
const NOT_A_FEE = /(paid|balance|due|total|concession|discount|receipt|remark|date|mode|status)/
const A_FEE = /(fee|fees|tuition|transport|charge|hostel|bus)/

/**
 * What the columns of a file probably are, each field once; a person looks at it before anything is read by it.
 * Headings of fees are matched with the fees that the school has.
 */
export function guessColumns(
  titles: readonly string[],
  { fields, fees, lower = titles }: KnownColumns & { lower?: readonly string[] },
): (string | null)[] {
  const taken = new Set<string>()
  return titles.map((title, index) => {
    const own = lower[index] ?? title
    // "Father" above "Name" is the father's name; "Fees" above "Tuition" is the fee that the lower one names.
    const known = { fields, fees, taken }
    const whole = guessColumn(title, known)
    const isFee = whole !== null && feeCodeOf(whole) !== null
    const guess = own === title || (whole !== null && !isFee) ? whole : (guessColumn(own, known) ?? whole)
    if (guess === null || taken.has(guess)) return null
    taken.add(guess)
    return guess
  })
}

type ColumnsToGuess = KnownColumns & { taken: ReadonlySet<string> }

function guessColumn(title: string, { fields, fees, taken }: ColumnsToGuess): string | null {
  const plain = lettersOf(title)
  if (plain === '') return null
  const known = fees.find(({ code, name }) => lettersOf(code) === plain || lettersOf(name) === plain)
  if (known !== undefined) return FEE + known.code
  // "Date of birth (DD/MM/YYYY)", "Class 2026-27" and "Student name (in capitals)".
  const short = lettersOf(title.replaceAll(/\([^()]*\)|\b20\d\d(?:\s?[-–/]\s?\d{2,4})?/g, ''))
  const named = fields.filter(([name]) => lettersOf(name) === plain)
  const titled = fields.filter(([, titles]) => titles.test(plain) || titles.test(short))
  const found = named.length > 0 ? named : titled
  // A second mobile number is the other one, and a third is none.
  if (found.length > 0) return (found.find(([name]) => !taken.has(name)) ?? found[0])?.[0] ?? null
  return A_FEE.test(plain) && !NOT_A_FEE.test(plain) ? FEE + feeCodeFor(title) : null
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '')
}

const LONGEST_CODE = 64

/** "Tuition Fee (₹)" is TUITION_FEE. */
function feeCodeFor(title: string): string {
  const code = title
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '')
  return Array.from(code).slice(0, LONGEST_CODE).join('')
}
