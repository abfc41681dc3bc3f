import { dayOf } from '../calendar.ts'

/** A month of India as its partition is named: `2026_11`. */
const MONTH = /^(\d{4})_(\d{2})$/

export function monthOf(moment: Date): string {
  return dayOf(moment).slice(0, 7).replace('-', '_')
}

/** Counts months on from this one, or back. */
export function addMonths(month: string, count: number): string {
  return nameOf(numberOf(month) + count)
}

/** The first day of the month, in India. */
export function firstDayOf(month: string): string {
  return `${month.replace('_', '-')}-01`
}

/** The months whose last row is older than so many whole months, oldest first. */
export function monthsToRetire(months: readonly string[], keep: number, now: Date): string[] {
  const oldestKept = numberOf(monthOf(now)) - keep
  return months.filter(month => numberOf(month) < oldestKept).toSorted()
}

function numberOf(month: string): number {
  const [, year, number] = MONTH.exec(month) ?? []
  if (year === undefined) throw new Error(`${month} is not a month`)
  return Number(year) * 12 + Number(number) - 1
}

function nameOf(number: number): string {
  const month = String((number % 12) + 1).padStart(2, '0')
  return `${Math.floor(number / 12)}_${month}`
}

/** Months that have left their logs and are still in the database, and whether a process is at it. */
export type RetentionBacklog = { months: readonly { table: string; month: string }[]; isUnderWay: boolean }
