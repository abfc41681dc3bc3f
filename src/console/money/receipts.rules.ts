import { receiptNumber, type ReceiptKey } from '../../receipts/receipts.rules.ts'

const ID = /^(\d{4}-\d{2})-(\d{1,9})$/
const NUMBER = /^(?:(\d{4}-\d{2})[/-])?0*(\d{1,9})$/

/** A receipt in an address: 2026-27-000042, since its number has a stroke in it. */
export function receiptId({ financialYear, number }: ReceiptKey): string {
  return `${financialYear}-${String(number).padStart(6, '0')}`
}

export function parseReceiptId(id: string): ReceiptKey | null {
  const [, financialYear, number] = ID.exec(id) ?? []
  return financialYear === undefined || number === undefined
    ? null
    : { financialYear, number: Number(number) }
}

/** People type 2026-27/000042, 000042 or 42. Null when it can be no number of a receipt. */
export function parseReceiptSearch(
  text: string,
): { financialYear: string | undefined; number: number } | null {
  const [, financialYear, number] = NUMBER.exec(text.trim()) ?? []
  if (number === undefined || Number(number) > 2_147_483_647) return null
  return { financialYear, number: Number(number) }
}

/** What a row has of its receipt, if it has one. */
export type MaybeReceipt = { financialYear: string | null; number: number | null }

export function receiptOf({ financialYear, number }: MaybeReceipt): string | null {
  return financialYear === null || number === null ? null : receiptNumber({ financialYear, number })
}
