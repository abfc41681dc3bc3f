/** Numbers run from 1 in each financial year of an institute, whatever way the money came. */
export type ReceiptKey = { financialYear: string; number: number }

/** Why a receipt is cancelled, and what its payer is told of it; null: nothing, as when a new receipt tells. */
export type ToldCancellation = {
  cause: 'payment_cancelled' | 'cheque_returned' | 'payment_moved'
  note: string | null
}

/**
 * The `counter` of a statement that gives a receipt its number, the next `last_number` of the institute's year: `$1` is
 * the institute, `year` the parameter with the financial year. The row is held until the commit, so numbers have no gaps.
 */
export const nextNumber = (year: string): string => `counter as (
       insert into receipt_counters as c (institute_id, financial_year, last_number) values ($1, ${year}, 1)
       on conflict (institute_id, financial_year) do update set last_number = c.last_number + 1
       returning last_number)`

/** 2026-27/000042, as people quote it. */
export function receiptNumber({ financialYear, number }: ReceiptKey): string {
  return `${financialYear}/${String(number).padStart(6, '0')}`
}

/** The year runs from 1 April to 31 March: 2026-27. */
export function financialYear(day: string): string {
  const { year, month } = Temporal.PlainDate.from(day)
  const start = month >= 4 ? year : year - 1
  return `${start}-${String((start + 1) % 100).padStart(2, '0')}`
}
