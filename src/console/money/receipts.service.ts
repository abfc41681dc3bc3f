import type { Institute } from '../../institutes/institutes.rules.ts'
import { getOrder } from '../../orders/orders.service.ts'
import { cancelReceipt as cancel } from '../../receipts/receipts.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import type { PrintOptions } from '../../receipts/receipt-file.ts'
import { findDirectReceiptFile } from '../../students/direct-payments/direct-receipt.service.ts'
import { badField, notFound } from '../../platform/errors.ts'
import { badCursor, toPage, type Page, type PageRange } from '../../platform/db/list.ts'
import type { Context } from '../../platform/context.ts'
import type { Command } from '../../platform/idempotency.ts'
import { parseReceiptId, parseReceiptSearch, receiptId, type ReceiptKey } from './receipts.rules.ts'
import * as store from './receipts.store.ts'
import type { Report } from '../reports/export.service.ts'
import { moment, money, text, type Column } from '../reports/reports.rules.ts'
import { findReceiptFile } from '../../payments/order-receipt.service.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'

export { RECEIPT_SORTING, type ReceiptRow } from './receipts.store.ts'

export type AskedReceipts = Pick<store.ReceiptFilter, 'from' | 'before'> & {
  number?: string | undefined
  status?: 'issued' | 'cancelled' | undefined
}

export function filterOf({ number: typed, status, from, before }: AskedReceipts): store.ReceiptFilter {
  const number = typed === undefined ? undefined : parseReceiptSearch(typed)
  if (number === null) throw badField('number', 'must be a receipt number such as 2026-27/000042, or 42')
  return { number, isCancelled: status === undefined ? undefined : status === 'cancelled', from, before }
}

export async function listReceipts(
  { db }: Context,
  institute: Institute,
  { cursor: sent, limit, ...asked }: AskedReceipts & PageRange,
): Promise<Page<store.ReceiptRow>> {
  const cursor = sent === undefined ? undefined : parseReceiptId(sent)
  if (cursor === null) throw badCursor()
  const query = store.receiptsQuery(institute.id, filterOf(asked), { cursor, limit: limit + 1 })
  return toPage(await db.query<store.ReceiptRow>(query.text, query.values), limit, receiptId)
}

export async function readReceiptPdf(
  ctx: PaymentContext,
  institute: Institute,
  id: string,
  options: PrintOptions,
): Promise<Buffer> {
  const row = await store.findReceipt(ctx.db, institute.id, keyOf(id))
  if (row === null) throw notFound('This receipt')
  const file =
    row.orderId === null
      ? await findDirectReceiptFile(ctx, institute, row.paymentId, options)
      : await findReceiptFile(ctx, institute, await getOrder(ctx, institute, undefined, row.orderId), options)
  if (file === null) throw notFound('This receipt')
  return file.read()
}

export type Cancelled = Awaited<ReturnType<typeof cancel>>

/** Its number is never used again, and the PDF says that it is cancelled. The payment stays as it is. */
export async function cancelReceipt(
  ctx: PaymentContext,
  command: Command<Cancelled>,
  { id, reason }: { id: string; reason: string },
): Promise<Cancelled> {
  return cancel(ctx, command, { ...keyOf(id), reason })
}

function keyOf(id: string): ReceiptKey {
  const key = parseReceiptId(id)
  if (key === null) throw notFound('This receipt')
  return key
}

const COLUMNS: readonly Column<store.ReceiptRow>[] = [
  text('Receipt', receiptNumber),
  moment('Issued (IST)', row => row.issuedAt),
  text('Payer', row => row.payer),
  text('Student', row => row.studentName),
  text('Identifier', row => row.identifier),
  text('Mode', row => row.mode),
  money('Amount', row => row.amountPaise),
  text('Status', row => (row.cancelledAt === null ? 'Issued' : 'Cancelled')),
  text('Why cancelled', row => row.cancelReason),
  text('Order', row => row.orderId),
]

export function receiptsReport(institute: Institute, asked: AskedReceipts): Report<store.ReceiptRow> {
  const query = store.receiptsQuery(institute.id, filterOf(asked))
  return { name: 'receipts', title: 'Receipts', query, columns: COLUMNS }
}
