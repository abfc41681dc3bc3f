import type { PaymentBlock, StudentBlock } from '../events/blocks.ts'
import { toRupees } from '../platform/money.ts'
import type { DirectPayment, Student } from './students.rules.ts'

/** Student and payment as events carry them. */
export function studentBlock(student: Student, gradeName: string): StudentBlock {
  return {
    identifier: student.identifier,
    custom_identifier: student.customIdentifier ?? undefined,
    collector_code: student.collectorCode,
    fullname: student.fullname,
    grade: { code: student.grade, name: gradeName },
    academic_year_start: student.academicYearStart,
    academic_year_end: student.academicYearEnd,
    primary_contact_name: student.contactName,
    primary_contact_number: student.contactNumber,
    primary_contact_email: student.contactEmail,
  }
}

export function paymentBlock(payment: DirectPayment & { id: string }): PaymentBlock {
  const settlementUtr = payment.settlementUtr ?? undefined
  return {
    id: payment.id,
    amount: toRupees(payment.amountPaise),
    product: 'direct',
    mode: payment.mode,
    transaction_id: payment.transactionId,
    paid_at: payment.paidAt.toISOString(),
    settlement_utr: settlementUtr,
    notes: payment.notes ?? undefined,
    details: payment.lines.map(line => ({
      component_type: line.componentType,
      amount: toRupees(line.amountPaise),
      settlement_utr: settlementUtr,
    })),
  }
}
