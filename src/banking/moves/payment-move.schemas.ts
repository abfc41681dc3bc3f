import { field, input, optional } from '../../http/wire/input.ts'
import { outputOf } from '../../http/wire/output.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import type { MovedPayment } from './payment-move.service.ts'

const line = input({
  component_type: field.code('The fee.', 'TUITION_FEE'),
  amount: field.positiveAmount('Rupees.', 12000),
})

export const moveInput = input({
  to_service_student_id: optional(
    field.resourceId('For whom it is; the same student if absent.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da'),
  ).as('toStudentId'),
  fee_components: optional(
    field.list('What it pays there, all of it; by the payment rules if absent.', line, { min: 1, max: 50 }),
  ).as('lines'),
  waive_late_fee_reason: optional(
    field.text('Why a late fee that is due there is not taken.', 'It was paid in time'),
  ).as('waiveReason'),
  reason: field.text('Why; stands on the old receipt, and the family is told.', 'Typed for the wrong child'),
})

const out = outputOf<MovedPayment>()
export const movedOutput = out.object({
  service_student_id: out.text(
    'For whom it counts now.',
    'student_01k9zq4m0ve8sbn6yt2hw3c5da',
    moved => moved.studentId,
  ),
  transaction_id: out.text('Its number there.', 'CASH-2026-0002', moved => moved.to.transactionId),
  receipt_number: out.optional.text(
    'Of its new receipt.',
    '2026-27/000043',
    ({ to: { receipt } }) => receipt && receiptNumber(receipt),
  ),
})
