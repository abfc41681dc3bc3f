import type { Institute } from '../../institutes/institutes.rules.ts'
import { dayOf, formatDay } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { readableComponent } from '../../platform/names.ts'
import { readLetterhead } from '../../receipts/letterhead.service.ts'
import { receiptFileOf, type PrintOptions, type ReceiptFile } from '../../receipts/receipt-file.ts'
import { findReceipt } from '../../receipts/receipts.service.ts'
import { readStudentContexts } from '../student-contexts.service.ts'
import type { RecordedPayment } from './direct-payments.rules.ts'
import * as store from './direct-payments.store.ts'

/** The receipt of a payment that the institute took itself, by our id of it; null when there is none. */
export async function findDirectReceiptFile(
  { db, mode }: Pick<Context, 'db' | 'mode'>,
  institute: Institute,
  paymentId: string,
  options?: PrintOptions,
): Promise<ReceiptFile | null> {
  const payment = await store.findPaymentById(db, institute.id, paymentId)
  const receipt = payment === null ? null : await findReceipt(db, institute.id, paymentId)
  if (payment === null || receipt === null) return null
  const key = { instituteId: institute.id, studentId: payment.studentId }
  const context = (await readStudentContexts(db, [key])).get(payment.studentId)
  if (context === undefined) throw new Error('a payment has no student')
  const { student, gradeName } = context
  const branch = institute.branches.find(one => one.collectorCode === student.collectorCode)
  return receiptFileOf(
    receipt,
    {
      institute: institute.name,
      letterhead: await readLetterhead({ db }, institute.id),
      branch: institute.branches.length > 1 ? (branch?.name ?? null) : null,
      payer: {
        name: student.contactName,
        phone: student.contactNumber,
        email: student.contactEmail,
      },
      student: {
        name: student.fullname,
        identifier: student.identifier,
        grade: gradeName,
        academicYear: `${student.academicYearStart}-${student.academicYearEnd}`,
      },
      lines: payment.lines
        .filter(line => line.amountPaise > 0)
        .map(line => ({ label: readableComponent(line.componentType), amountPaise: line.amountPaise })),
      totalPaise: payment.amountPaise,
      mode: readableComponent(payment.mode),
      transactionId: instrumentText(payment) ?? payment.transactionId,
      paidAt: dayOf(payment.paidAt) === dayOf(receipt.issuedAt) ? null : payment.paidAt,
      orderId: null,
      receivedBy: payment.recordedBy,
      isSandbox: mode === 'sandbox',
    },
    options,
  )
}

function instrumentText({ instrument }: RecordedPayment): string | null {
  if (instrument === null) return null
  const date = instrument.date === null ? null : formatDay(instrument.date)
  return [`no. ${instrument.number}`, instrument.bank, date].filter(part => part !== null).join(', ')
}
