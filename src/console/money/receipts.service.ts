import type { Institute } from '../../institutes/institutes.rules.ts'
import { getOrder } from '../../orders/orders.service.ts'
import { receiptPdf } from '../../payments/receipts/receipt-file.service.ts'
import { cancelReceipt as cancel, receiptNumber } from '../../payments/receipts/receipts.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { notFound } from '../../platform/errors.ts'
import { badCursor, toPage, type Page } from '../../platform/db/list.ts'
import type { Context } from '../../platform/context.ts'
import type { Command } from '../../platform/idempotency.ts'
import { toRupees } from '../../platform/money.ts'
import { parseReceiptId, receiptId, type ReceiptKey } from './receipts.rules.ts'
import * as store from './receipts.store.ts'
import { exportReport, type ExportedFile, type ExportFor } from '../reports/export.service.ts'
import type { Column, Format } from '../reports/reports.rules.ts'

export type { ReceiptFilter, ReceiptRow } from './receipts.store.ts'

export async function listReceipts(
  { db }: Context,
  institute: Institute,
  filter: store.ReceiptFilter,
  { cursor: sent, limit }: { cursor: string | undefined; limit: number },
): Promise<Page<store.ReceiptRow>> {
  const cursor = sent === undefined ? undefined : parseReceiptId(sent)
  if (cursor === null) throw badCursor()
  const { text, values } = store.receiptsQuery(institute.id, filter, { cursor, limit: limit + 1 })
  return toPage(await db.query<store.ReceiptRow>(text, values), limit, receiptId)
}

export async function readReceiptPdf(ctx: PaymentContext, institute: Institute, id: string): Promise<Buffer> {
  const row = await store.findReceipt(ctx.db, institute.id, keyOf(id))
  if (row === null) throw notFound('This receipt')
  const order = await getOrder(ctx, institute, undefined, row.orderId)
  const pdf = await receiptPdf(ctx, institute, order)
  if (pdf === null) throw notFound('This receipt')
  return pdf
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
  { title: 'Receipt', kind: 'text', value: receiptNumber },
  { title: 'Issued (IST)', kind: 'moment', value: row => row.issuedAt },
  { title: 'Payer', kind: 'text', value: row => row.payer },
  { title: 'Student', kind: 'text', value: row => row.studentName },
  { title: 'Identifier', kind: 'text', value: row => row.identifier },
  { title: 'Mode', kind: 'text', value: row => row.mode },
  { title: 'Amount', kind: 'money', value: row => toRupees(row.amountPaise) },
  { title: 'Status', kind: 'text', value: row => (row.cancelledAt === null ? 'Issued' : 'Cancelled') },
  { title: 'Why cancelled', kind: 'text', value: row => row.cancelReason },
  { title: 'Order', kind: 'text', value: row => row.orderId },
]

export async function exportReceipts(
  ctx: Context,
  institute: Institute,
  filter: store.ReceiptFilter,
  format: Format,
  by: ExportFor,
): Promise<ExportedFile> {
  const query = store.receiptsQuery(institute.id, filter)
  return exportReport(ctx, { name: 'receipts', title: 'Receipts', query, columns: COLUMNS }, format, by)
}
