import { paiseOf, sumPaise, type Paise } from '../../platform/money.ts'

/** Notes and coins in rupees. */
export const DENOMINATIONS = [500, 200, 100, 50, 20, 10, 5, 2, 1] as const

export type Counted = { value: number; count: number }

export function countCash(denominations: readonly Counted[]): Paise {
  return sumPaise(denominations.map(({ value, count }) => paiseOf(value * count * 100)))
}
