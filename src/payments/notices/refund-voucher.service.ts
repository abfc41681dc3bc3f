import type { Institute } from '../../institutes/institutes.rules.ts'
import { getOrder } from '../../orders/orders.service.ts'
import { rupeesInWords, formatRupees } from '../../platform/money.ts'
import { dayOf, formatDay } from '../../platform/calendar.ts'
import { readableComponent } from '../../platform/names.ts'
import type { DocumentPrint } from '../../receipts/document-pdf.ts'
import { readLetterhead } from '../../receipts/letterhead.service.ts'
import { printDocument, type PrintedFor } from '../../receipts/receipt-printer.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import { findReceipt } from '../../receipts/receipts.service.ts'
import type { PaymentContext } from '../context.ts'
import { getRefund } from '../refunds/refunds.service.ts'

/** Prints the voucher that a family keeps for a refund; null until the money has gone back. */
export async function printRefundVoucher(
  ctx: PaymentContext,
  institute: Institute,
  refundId: string,
  how?: Omit<PrintedFor, 'instituteId'>,
): Promise<Buffer | null> {
  const refund = await getRefund(ctx, institute.id, refundId)
  if (refund === null || refund.state !== 'processed') return null
  const order = await getOrder(ctx, institute, undefined, refund.orderId)
  const receipt = await findReceipt(ctx.db, institute.id, refund.paymentId)
  const branch = institute.branches.find(({ collectorCode }) => collectorCode === order.collectorCode)
  const at = refund.processedAt ?? refund.requestedAt
  const print: DocumentPrint = {
    institute: institute.name,
    letterhead: await readLetterhead(ctx, institute.id),
    branch: institute.branches.length > 1 ? (branch?.name ?? null) : null,
    title: 'Refund voucher',
    madeAt: at,
    blocks: [
      {
        kind: 'pairs',
        left: {
          Student: order.studentName,
          'Student ID': order.identifier,
          'Refunded to': order.name,
        },
        right: {
          'Refunded on': formatDay(dayOf(at)),
          'Refund ID': refund.id,
          Receipt: receipt === null ? null : receiptNumber(receipt),
          'Bank reference': refund.utr,
        },
      },
      {
        kind: 'table',
        columns: [
          { title: 'For', width: 8 },
          { title: 'Amount', width: 3, isAmount: true },
        ],
        rows: refund.lines
          .filter(({ amountPaise }) => amountPaise > 0)
          .map(line => [readableComponent(line.componentType), formatRupees(line.amountPaise)]),
        total: ['Total refunded', formatRupees(refund.amountPaise)],
      },
      { kind: 'text', text: rupeesInWords(refund.amountPaise) },
      {
        kind: 'text',
        text: 'The money goes back the way it was paid. Most banks show it within 5 to 7 working days.',
      },
      { kind: 'text', text: 'This is a computer-generated voucher and needs no signature.' },
    ],
    isSandbox: ctx.mode === 'sandbox',
  }
  return printDocument(print, { instituteId: institute.id, ...how })
}
