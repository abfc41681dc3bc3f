import { createHash } from 'node:crypto'
import type { Institute } from '../institutes/institutes.rules.ts'
import { readableComponent, totalOf, type Order } from '../orders/orders.rules.ts'
import type { ReceiptDocument } from '../receipts/receipt-pdf.ts'
import { printReceipt } from '../receipts/receipt-printer.ts'
import { receiptNumber } from '../receipts/receipts.rules.ts'
import * as receipts from '../receipts/receipts.service.ts'
import type { PaymentContext } from './context.ts'
import type { Payment } from './payments.rules.ts'
import { listPayments } from './payments.store.ts'

export type IssuedReceipt = { receipt: receipts.Receipt; payment: Payment }

/** The receipt of the payment that paid an order. */
export async function findReceipt(
  ctx: PaymentContext,
  institute: Institute,
  order: Order,
): Promise<IssuedReceipt | null> {
  const payments = await listPayments(ctx.db, institute.id, order.id)
  const payment = payments.find(candidate => candidate.state === 'captured' && !candidate.isDuplicate)
  if (payment === undefined) return null
  const receipt = await receipts.findReceipt(ctx.db, institute.id, payment.id)
  return receipt === null ? null : { receipt, payment }
}

/** Changes with the look of receipts, so that one of an earlier version is not taken for today's. */
const LAYOUT = 1

/** The receipt of a paid order as PDF, made when it is read. The tag changes with what is on it, as a cancellation. */
export type ReceiptFile = { etag: string; contentType: string; read(): Promise<Buffer> }

/** Null while there is none. */
export async function findReceiptFile(
  ctx: PaymentContext,
  institute: Institute,
  order: Order,
): Promise<ReceiptFile | null> {
  const issued = await findReceipt(ctx, institute, order)
  if (issued === null) return null
  const { receipt, payment } = issued
  const branch = institute.branches.find(candidate => candidate.collectorCode === order.collectorCode)
  const { academicYearStart: start, academicYearEnd: end } = order
  const document: ReceiptDocument = {
    institute: institute.name,
    branch: institute.branches.length > 1 ? (branch?.name ?? null) : null,
    receiptNumber: receiptNumber(receipt),
    issuedAt: receipt.issuedAt,
    payer: { name: order.name, phone: order.phone, email: order.email },
    student: {
      name: order.studentName,
      identifier: order.identifier,
      grade: order.grade,
      academicYear: start === null || end === null ? null : `${start}-${end}`,
    },
    lines: order.lines.map(line => ({
      label: readableComponent(line.componentType),
      amountPaise: line.amountPaise,
    })),
    totalPaise: totalOf(order),
    mode: payment.mode,
    transactionId: payment.transactionId ?? payment.id,
    orderId: order.id,
    isCancelled:
      receipt.cancelledAt === null ? null : { at: receipt.cancelledAt, reason: receipt.cancelReason ?? '' },
    isSandbox: ctx.mode === 'sandbox',
  }
  const digest = createHash('sha256')
    .update(JSON.stringify([LAYOUT, document]))
    .digest('base64url')
  return {
    etag: `"${digest.slice(0, 22)}"`,
    contentType: 'application/pdf',
    read: () => printReceipt(digest, document),
  }
}
