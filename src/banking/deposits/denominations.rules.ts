import { paiseOf, sumPaise, type Paise } from '../../platform/money.ts'

/** How many there are of a note or coin, by its value in rupees. */
export type DenominationCount = { value: number; count: number }

export function countCash(denominations: readonly DenominationCount[]): Paise {
  return sumPaise(denominations.map(({ value, count }) => paiseOf(value * count * 100)))
}
