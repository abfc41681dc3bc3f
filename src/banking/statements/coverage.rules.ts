import type { Paise } from '../../platform/money.ts'

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
      from: shift(after, 1),
      to: shift(before, -1),
      isMoneyMissing: closing.length > 0 && opening.length > 0,
    }))
}

export type Coverage = {
  firstDay: string | null
  lastDay: string | null
  firstOpenDay: string | null
  /** In the order of days. */
  gaps: readonly Pick<UncoveredDays, 'from'>[]
}

/** The last day up to which every day is on a statement and every line is decided; null while not even the first is. */
export function reconciledThrough({ firstDay, lastDay, firstOpenDay, gaps }: Coverage): string | null {
  if (firstDay === null || lastDay === null) return null
  const stops = [firstOpenDay, gaps[0]?.from].filter(day => day !== null && day !== undefined)
  const [through] = [lastDay, ...stops.map(day => shift(day, -1))].toSorted()
  return through !== undefined && through >= firstDay ? through : null
}

function shift(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString()
}
