import type { Institute } from '../institutes/institutes.rules.ts'
import { lineName, totalOf, type Order } from '../orders/orders.rules.ts'
import { readLetterhead } from '../receipts/letterhead.service.ts'
import { receiptFileOf, type PaidFor, type PrintOptions, type ReceiptFile } from '../receipts/receipt-file.ts'
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

/** Null while there is none. */
export async function findReceiptFile(
  ctx: PaymentContext,
  institute: Institute,
  order: Order,
  options?: PrintOptions,
): Promise<ReceiptFile | null> {
  const issued = await findReceipt(ctx, institute, order)
  if (issued === null) return null
  const { receipt, payment } = issued
  const branch = institute.branches.find(candidate => candidate.collectorCode === order.collectorCode)
  const { academicYearStart: start, academicYearEnd: end } = order
  const paidFor: PaidFor = {
    institute: institute.name,
    letterhead: await readLetterhead(ctx, institute.id),
    branch: institute.branches.length > 1 ? (branch?.name ?? null) : null,
    payer: { name: order.name, phone: order.phone, email: order.email },
    student: {
      name: order.studentName,
      identifier: order.identifier,
      grade: order.grade,
      academicYear: start === null || end === null ? null : `${start}-${end}`,
    },
    lines: order.lines.map(line => ({
      label: lineName(line),
      amountPaise: line.amountPaise,
    })),
    totalPaise: totalOf(order),
    mode: payment.mode,
    transactionId: payment.transactionId ?? payment.id,
    paidAt: null,
    orderId: order.id,
    receivedBy: null,
    isSandbox: ctx.mode === 'sandbox',
  }
  return receiptFileOf(receipt, paidFor, options)
}
