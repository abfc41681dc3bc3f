import type { Institute } from '../../institutes/institutes.rules.ts'
import { readStaffNames } from '../../institutes/institutes.service.ts'
import { languagesOf } from '../../messages/messages.service.ts'
import { feeOnPaper, receiptWords } from '../../messages/texts/texts.ts'
import type { Language } from '../../platform/languages.ts'
import { formatDay } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { classOf, readableComponent } from '../../platform/names.ts'
import { readLetterhead, type Letterhead } from '../../receipts/letterhead.service.ts'
import {
  receiptFileOf,
  type PaidFor,
  type PrintOptions,
  type ReceiptFile,
} from '../../receipts/receipt-file.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import { findReceipt } from '../../receipts/receipts.service.ts'
import { readStudentContexts, type StudentContext } from '../student-contexts.service.ts'
import type { RecordedPayment } from './direct-payments.rules.ts'
import * as store from './direct-payments.store.ts'
import { listRefundsOf, type DirectRefund } from './direct-refunds.store.ts'

/** The receipt of a payment that the institute took itself, by our id of it; null when there is none. */
export async function findDirectReceiptFile(
  ctx: Pick<Context, 'db' | 'mode'>,
  institute: Institute,
  paymentId: string,
  options?: PrintOptions,
): Promise<ReceiptFile | null> {
  const receipt = await findReceipt(ctx.db, institute.id, paymentId)
  if (receipt === null) return null
  const letterhead = await readLetterhead(ctx, institute.id)
  const paidFor = (await readPaidDirectly(ctx, institute, [paymentId], letterhead)).get(paymentId)
  if (paidFor === undefined) return null
  return receiptFileOf({ instituteId: institute.id, receipt, paidFor }, options)
}

/** What stands on the receipts of such payments, by our ids of them. */
export async function readPaidDirectly(
  { db, mode }: Pick<Context, 'db' | 'mode'>,
  institute: Institute,
  paymentIds: readonly string[],
  letterhead: Letterhead,
): Promise<Map<string, PaidFor>> {
  const payments = await store.listPaymentsById(db, institute.id, paymentIds)
  const students = new Set(payments.map(({ studentId }) => studentId))
  const keys = [...students].map(studentId => ({ instituteId: institute.id, studentId }))
  const contexts = await readStudentContexts(db, keys)
  const refunded = payments.filter(payment => payment.refundedPaise > 0).map(({ id }) => id)
  const refunds = Map.groupBy(await listRefundsOf(db, institute.id, refunded), one => one.paymentId)
  const nameOf = await readStaffNames(
    { db },
    payments.map(payment => payment.recordedBy),
  )
  const phones = [...contexts].map(([id, { student }]) => ({ id, phone: student.contactNumber }))
  const languages = await languagesOf(
    db,
    phones.map(({ phone }) => ({ instituteId: institute.id, phone })),
  )
  const languageOf = new Map(phones.map(({ id }, index) => [id, languages[index] ?? 'en']))
  return new Map(
    payments.map(payment => {
      const context = contexts.get(payment.studentId)
      if (context === undefined) throw new Error('a payment has no student')
      const paidFor = paidDirectly(institute, payment, {
        ...context,
        refunds: refunds.get(payment.id) ?? [],
        language: languageOf.get(payment.studentId) ?? 'en',
      })
      const receivedBy = payment.recordedBy === null ? null : nameOf(payment.recordedBy)
      return [payment.id, { ...paidFor, receivedBy, letterhead, isSandbox: mode === 'sandbox' }]
    }),
  )
}

function paidDirectly(
  institute: Institute,
  payment: RecordedPayment,
  {
    student,
    gradeName,
    refunds,
    language,
  }: StudentContext & { refunds: readonly DirectRefund[]; language: Language },
): Omit<PaidFor, 'letterhead' | 'isSandbox' | 'receivedBy'> {
  const branch = institute.branches.find(one => one.collectorCode === student.collectorCode)
  return {
    institute: institute.name,
    branch: institute.branches.length > 1 ? (branch?.name ?? null) : null,
    payer: { name: student.contactName, phone: student.contactNumber, email: student.contactEmail },
    student: {
      name: student.fullname,
      identifier: student.identifier,
      grade: classOf(gradeName, student.section),
      academicYear: `${student.academicYearStart}-${student.academicYearEnd}`,
    },
    lines: payment.lines
      .filter(line => line.amountPaise > 0)
      .map(line => ({ label: feeOnPaper(line.componentType, language), amountPaise: line.amountPaise })),
    totalPaise: payment.amountPaise,
    mode: readableComponent(payment.mode),
    transactionId: instrumentText(payment) ?? payment.transactionId,
    paidAt: payment.paidAt,
    orderId: null,
    isByInstrument: payment.instrument !== null,
    words: receiptWords(language),
    refunds: refunds.map(refund => ({
      at: refund.refundedAt,
      amountPaise: refund.amountPaise,
      voucher: receiptNumber(refund),
    })),
  }
}

function instrumentText({ instrument }: RecordedPayment): string | null {
  if (instrument === null) return null
  const date = instrument.date === null ? null : formatDay(instrument.date)
  return [`no. ${instrument.number}`, instrument.bank, date].filter(part => part !== null).join(', ')
}
