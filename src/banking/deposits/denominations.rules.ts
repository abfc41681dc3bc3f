import { paiseOf, sumPaise, type Paise } from '../../platform/money.ts'

/** How many there are of a note or coin, by its value in rupees. */
export type Counted = { value: number; count: number }

export function countCash(denominations: readonly Counted[]): Paise {
  return sumPaise(denominations.map(({ value, count }) => paiseOf(value * count * 100)))
}
