import { field, input, notEmpty, nullable, optional, query } from '../../http/wire/input.ts'
import { ownPaymentId, paymentFields, studentParams } from '../student.input.ts'

/** What the routes of direct payments take. */
export const PAYMENT_ID = 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'

export const paymentParams = input({
  ...studentParams.fields,
  transaction_id: field.identifier('The transaction id of the payment, percent-encoded.', 'CASH-2026-0001'),
})

export const directPaymentFields = {
  ...paymentFields,
  transaction_id: optional(
    field.identifier('Unique for the student; without one the service makes one.', 'CASH-2026-0002'),
  ),
  settlement_utr: optional(paymentFields.settlement_utr),
  notes: optional(paymentFields.notes),
}

export const directPaymentInput = input({
  ...directPaymentFields,
  id: ownPaymentId,
  mode: optional(field.code('Such as cash; `others` without one.', 'cash'), 'others'),
  issue_receipt: optional(
    field.flag(
      "Whether it gets a receipt of the institute's series here; not if the ERP issues its own.",
      true,
    ),
    false,
  ).as('hasReceipt'),
})

export const correctionInput = input({
  amount: notEmpty(paymentFields.amount),
  paid_at: notEmpty(paymentFields.paid_at),
  mode: notEmpty(paymentFields.mode),
  settlement_utr: nullable(paymentFields.settlement_utr),
  notes: nullable(paymentFields.notes),
  fee_components: notEmpty(paymentFields.fee_components),
  transaction_id: notEmpty(
    field.identifier('Cannot be changed; accepted when it is the one in the path.', 'CASH-2026-0001'),
  ),
})

export const listPaymentsQuery = query({
  limit: field.pageSize(),
  cursor: field.cursor(PAYMENT_ID),
  status: optional(field.oneOf(['recorded', 'cancelled'], 'Only in this state.')),
})
