import type { Institute } from '../../institutes/institutes.rules.ts'
import { readStaffNames } from '../../institutes/institutes.service.ts'
import { languageOfFamily } from '../../messages/messages.service.ts'
import { feeOnPaper, paperWords, receiptWords } from '../../messages/texts/texts.ts'
import { formatMoment } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { formatRupees, rupeesInWords } from '../../platform/money.ts'
import { fill } from '../../platform/languages.ts'
import { classOf } from '../../platform/names.ts'
import type { DocumentPrint } from '../../receipts/document-pdf.ts'
import { readLetterhead } from '../../receipts/letterhead.service.ts'
import { printDocument, type PrintedFor } from '../../receipts/receipt-printer.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import { findReceipt } from '../../receipts/receipts.service.ts'
import { readStudentContexts } from '../student-contexts.service.ts'
import { listPaymentsById } from './direct-payments.store.ts'
import type { RefundWay } from './direct-payments.rules.ts'
import { findRefund } from './direct-refunds.store.ts'

const REFERENCES = {
  cash: 'reference',
  cheque: 'chequeNumber',
  bank_transfer: 'bankReference',
} as const satisfies Record<RefundWay, string>

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
  const family = { instituteId: institute.id, phone: student.contactNumber }
  const language = await languageOfFamily(ctx.db, family)
  const words = paperWords('refundVoucher', language)
  const of = receiptWords(language)
  const print: DocumentPrint = {
    institute: institute.name,
    letterhead: await readLetterhead(ctx, institute.id),
    branch: institute.branches.length > 1 ? (branch?.name ?? null) : null,
    title: `${words.title} ${receiptNumber(refund)}`,
    madeAt: refund.refundedAt,
    blocks: [
      {
        kind: 'pairs',
        left: {
          [of.student]: student.fullname,
          [of.studentId]: student.identifier,
          [of.grade]: classOf(gradeName, student.section),
          [words.paidTo]: student.contactName,
        },
        right: {
          [words.paidOutOn]: formatMoment(refund.refundedAt),
          [of.through]: words[refund.way],
          [words[REFERENCES[refund.way]]]: refund.reference,
          [words.receipt]: receipt === null ? payment.transactionId : receiptNumber(receipt),
        },
      },
      {
        kind: 'table',
        columns: [
          { title: of.forWhat, width: 8 },
          { title: of.amount, width: 3, isAmount: true },
        ],
        rows: refund.lines.map(line => [
          feeOnPaper(line.componentType, language),
          formatRupees(line.amountPaise),
        ]),
        total: [words.total, formatRupees(refund.amountPaise)],
      },
      { kind: 'text', text: rupeesInWords(refund.amountPaise) },
      { kind: 'text', text: fill(words.reason, { reason: refund.reason }) },
      { kind: 'signature', label: fill(words.paidOutBy, { name: nameOf(refund.refundedBy) }) },
      { kind: 'signature', label: words.receivedBy },
    ],
    isSandbox: ctx.mode === 'sandbox',
  }
  return printDocument(print, { instituteId: institute.id, ...how })
}
