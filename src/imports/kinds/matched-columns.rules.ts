import { readTypedRupees } from '../../platform/typed/amount.rules.ts'
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

const FEE = 'fee:'

/** The fee that a column holds amounts of. */
export function feeCodeOf(column: string): string | null {
  return column.startsWith(FEE) ? column.slice(FEE.length) : null
}

/** How many cells of a column have something in them, and how many of those an amount. */
export type AmountTally = { filled: number; amounts: number }

export function addAmount(tally: AmountTally, text: string | null): void {
  if (text === null || text.trim() === '') return
  tally.filled++
  if (readTypedRupees(text) !== null) tally.amounts++
}

/** A column called "Bus" that says Y and N is no fee: one of which most cells are no amounts is not guessed to be one. */
export function withoutEmptyFees(
  guesses: readonly (string | null)[],
  tallies: readonly (AmountTally | undefined)[],
): (string | null)[] {
  return guesses.map((guess, index) => {
    const { filled, amounts } = tallies[index] ?? { filled: 0, amounts: 0 }
    const isFee = guess !== null && feeCodeOf(guess) !== null
    return isFee && amounts * 2 < filled ? null : guess
  })
}

/** Headings with one of these words are of sums or payments and not of a fee. */
const NOT_A_FEE = /(paid|balance|due|total|concession|discount|receipt|remark|date|mode|status)/
const A_FEE = /(fee|fees|tuition|transport|charge|hostel|bus)/

/** What a title may be, whatever stands beside it: a fee that the school has, or some of the fields, or a new fee. */
type TitleMeanings = { feeCode: string | null; fields: readonly string[]; newFeeCode: string | null }

/**
 * Guesses what the columns of a file are, for one file: a file has many rows that may be its headings, with the same titles
 * in several of them, so what a title means is found once.
 */
export class ColumnGuesser {
  readonly #fields: Titles<string>
  readonly #feeCodes: ReadonlyMap<string, string>
  readonly #meanings = new Map<string, TitleMeanings>()

  constructor({ fields, fees }: { fields: Titles<string>; fees: readonly Fee[] }) {
    this.#fields = fields
    // The first of several that are called alike.
    const named = fees
      .toReversed()
      .flatMap(({ code, name }) => [[lettersOf(name), code] as const, [lettersOf(code), code] as const])
    this.#feeCodes = new Map(named)
  }

  /**
   * What the columns probably are, each field once; a person looks at it before anything is read by it.
   * Headings of fees are matched with the fees that the school has.
   */
  guess(titles: readonly string[], lower: readonly string[] = titles): (string | null)[] {
    const taken = new Set<string>()
    return titles.map((title, index) => {
      const own = lower[index] ?? title
      // "Father" above "Name" is the father's name; "Fees" above "Tuition" is the fee that the lower one names.
      const whole = this.#guessOne(title, taken)
      const isFee = whole !== null && feeCodeOf(whole) !== null
      const guess =
        own === title || (whole !== null && !isFee) ? whole : (this.#guessOne(own, taken) ?? whole)
      if (guess === null || taken.has(guess)) return null
      taken.add(guess)
      return guess
    })
  }

  #guessOne(title: string, taken: ReadonlySet<string>): string | null {
    const { feeCode, fields, newFeeCode } = this.#meaningsOf(title)
    if (feeCode !== null) return FEE + feeCode
    // A second mobile number is the other one, and a third is none.
    const field = fields.find(name => !taken.has(name)) ?? fields[0]
    return field ?? (newFeeCode === null ? null : FEE + newFeeCode)
  }

  #meaningsOf(title: string): TitleMeanings {
    const known = this.#meanings.get(title)
    if (known !== undefined) return known
    const plain = lettersOf(title)
    // "Date of birth (DD/MM/YYYY)", "Class 2026-27" and "Student name (in capitals)".
    const short = lettersOf(title.replaceAll(/\([^()]*\)|\b20\d\d(?:\s?[-–/]\s?\d{2,4})?/g, ''))
    const named = this.#fields.filter(([name]) => lettersOf(name) === plain)
    const titled = this.#fields.filter(([, titles]) => titles.test(plain) || titles.test(short))
    const isNothing = plain === ''
    const meanings = {
      feeCode: isNothing ? null : (this.#feeCodes.get(plain) ?? null),
      fields: isNothing ? [] : (named.length > 0 ? named : titled).map(([name]) => name),
      newFeeCode: A_FEE.test(plain) && !NOT_A_FEE.test(plain) ? feeCodeFor(title) : null,
    }
    this.#meanings.set(title, meanings)
    return meanings
  }
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
