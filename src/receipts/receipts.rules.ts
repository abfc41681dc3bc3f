/** Numbers run from 1 in each financial year of an institute, whatever way the money came. */
export type ReceiptKey = { financialYear: string; number: number }

/** Why a receipt is cancelled, and what its payer is told of it; null: nothing, as when a new receipt tells. */
export type TakenBack = {
  cause: 'payment_cancelled' | 'cheque_returned' | 'payment_moved'
  note: string | null
}

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
