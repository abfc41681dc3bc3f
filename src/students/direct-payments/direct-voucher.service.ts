import type { Institute } from '../../institutes/institutes.rules.ts'
import { readStaffNames } from '../../institutes/institutes.service.ts'
import { formatMoment } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { formatRupees, rupeesInWords } from '../../platform/money.ts'
import { classOf, readableComponent } from '../../platform/names.ts'
import type { DocumentPrint } from '../../receipts/document-pdf.ts'
import { readLetterhead } from '../../receipts/letterhead.service.ts'
import { printDocument, type PrintedFor } from '../../receipts/receipt-printer.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import { findReceipt } from '../../receipts/receipts.service.ts'
import { readStudentContexts } from '../student-contexts.service.ts'
import { listPaymentsById } from './direct-payments.store.ts'
import type { RefundWay } from './direct-payments.rules.ts'
import { findRefund } from './direct-refunds.store.ts'

const WAYS: Record<RefundWay, { text: string; reference: string }> = {
  cash: { text: 'Cash', reference: 'Reference' },
  cheque: { text: 'Cheque', reference: 'Cheque no.' },
  bank_transfer: { text: 'Bank transfer', reference: 'Bank reference' },
}

/** What the office and the family keep of money that was paid out again; null when there is no such refund. */
export async function printDirectVoucher(
  ctx: Pick<Context, 'db' | 'mode'>,
  institute: Institute,
  refundId: string,
  how?: Omit<PrintedFor, 'instituteId'>,
): Promise<Buffer | null> {
  const refund = await findRefund(ctx.db, institute.id, refundId)
  if (refund === null) return null
  const [payment] = await listPaymentsById(ctx.db, institute.id, [refund.paymentId])
  if (payment === undefined) throw new Error(`${refundId} lost its payment`)
  const { studentId } = payment
  const context = (await readStudentContexts(ctx.db, [{ instituteId: institute.id, studentId }])).get(
    studentId,
  )
  if (context === undefined) throw new Error(`${refundId} lost its student`)
  const { student, gradeName } = context
  const receipt = await findReceipt(ctx.db, institute.id, refund.paymentId)
  const branch = institute.branches.find(({ collectorCode }) => collectorCode === student.collectorCode)
  const nameOf = await readStaffNames(ctx, [refund.refundedBy])
  const way = WAYS[refund.way]
  const print: DocumentPrint = {
    institute: institute.name,
    letterhead: await readLetterhead(ctx, institute.id),
    branch: institute.branches.length > 1 ? (branch?.name ?? null) : null,
    title: `Refund voucher ${receiptNumber(refund)}`,
    madeAt: refund.refundedAt,
    blocks: [
      {
        kind: 'pairs',
        left: {
          Student: student.fullname,
          'Student ID': student.identifier,
          Class: classOf(gradeName, student.section),
          'Paid to': student.contactName,
        },
        right: {
          'Paid out on': formatMoment(refund.refundedAt),
          'Paid by': way.text,
          [way.reference]: refund.reference,
          'Of the receipt': receipt === null ? payment.transactionId : receiptNumber(receipt),
        },
      },
      {
        kind: 'table',
        columns: [
          { title: 'For', width: 8 },
          { title: 'Amount', width: 3, isAmount: true },
        ],
        rows: refund.lines.map(line => [
          readableComponent(line.componentType),
          formatRupees(line.amountPaise),
        ]),
        total: ['Total refunded', formatRupees(refund.amountPaise)],
      },
      { kind: 'text', text: rupeesInWords(refund.amountPaise) },
      { kind: 'text', text: `Reason: ${refund.reason}` },
      { kind: 'signature', label: `Paid out by ${nameOf(refund.refundedBy)}` },
      { kind: 'signature', label: 'Received by (name and signature)' },
    ],
    isSandbox: ctx.mode === 'sandbox',
  }
  return printDocument(print, { instituteId: institute.id, ...how })
}
