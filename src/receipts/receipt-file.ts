import { createHash } from 'node:crypto'
import { dayOf } from '../platform/calendar.ts'
import type { PaperName } from './receipt-papers.ts'
import type { ReceiptDocument, ReceiptPrint } from './receipt-pdf.ts'
import { printReceipt, type PrintedFor } from './receipt-printer.ts'
import { receiptNumber } from './receipts.rules.ts'
import type { Receipt } from './receipts.service.ts'

/** Changes with the look of receipts, so that one of an earlier version is not taken for today's. */
const LAYOUT = 5

/** A receipt as PDF, made when it is read. The tag changes with what is on it, as a cancellation. */
export type ReceiptFile = {
  etag: string
  contentType: string
  read(how?: Omit<PrintedFor, 'instituteId'>): Promise<Buffer>
}

export type PrintOptions = { paper?: PaperName | undefined; isDuplicate?: boolean | undefined }

/** What stands on the receipt of any payment. */
export type PaidFor = Omit<ReceiptDocument, 'receiptNumber' | 'issuedAt' | 'isCancelled'>

type IssuedReceipt = { instituteId: number; receipt: Receipt; paidFor: PaidFor }

export function receiptFileOf(
  { instituteId, receipt, paidFor }: IssuedReceipt,
  options?: PrintOptions,
): ReceiptFile {
  const print = printOf(receipt, paidFor, options)
  const digest = createHash('sha256')
    .update(JSON.stringify([LAYOUT, print]))
    .digest('base64url')
  return {
    etag: `"${digest.slice(0, 22)}"`,
    contentType: 'application/pdf',
    read: how => printReceipt(digest, print, { instituteId, ...how }),
  }
}

/** A list of receipts does not read why each is cancelled. */
type PrintedReceipt = Omit<Receipt, 'cancelCause'> & Partial<Pick<Receipt, 'cancelCause'>>

export function printOf(
  { issuedAt, cancelledAt, cancelReason, cancelCause, ...key }: PrintedReceipt,
  paidFor: PaidFor,
  { paper = 'a4', isDuplicate = false }: PrintOptions = {},
): ReceiptPrint {
  const { paidAt } = paidFor
  return {
    ...paidFor,
    paidAt: paidAt !== null && dayOf(paidAt) === dayOf(issuedAt) ? null : paidAt,
    receiptNumber: receiptNumber(key),
    issuedAt,
    isCancelled:
      cancelledAt === null
        ? null
        : { at: cancelledAt, reason: cancelReason ?? '', isMoved: cancelCause === 'payment_moved' },
    paper,
    isDuplicate,
  }
}
