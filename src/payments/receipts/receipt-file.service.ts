import type { Institute } from '../../institutes/institutes.rules.ts'
import { readableComponent, totalOf, type Order } from '../../orders/orders.rules.ts'
import { renderReceipt } from './receipt-pdf.ts'
import { findReceipt, receiptNumber } from './receipts.service.ts'
import type { PaymentContext } from '../context.ts'

/** The receipt of a paid order as PDF; null while there is none. */
export async function receiptPdf(
  ctx: PaymentContext,
  institute: Institute,
  order: Order,
): Promise<Buffer | null> {
  const issued = await findReceipt(ctx, institute, order)
  if (issued === null) return null
  const { receipt, payment } = issued
  const branch = institute.branches.find(candidate => candidate.collectorCode === order.collectorCode)
  const { academicYearStart: start, academicYearEnd: end } = order
  return renderReceipt({
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
  })
}
