import { field, input, optional } from '../../http/wire/input.ts'
import { refundFields } from '../../payments/refund.schemas.ts'
import { REFUND_WAYS } from '../../students/direct-payments/direct-payments.rules.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import type { DirectRefund } from '../../students/direct-payments/direct-refunds.service.ts'

export const counterRefundInput = input({
  amount: refundFields.amount.as('amountPaise'),
  details: refundFields.details,
  way: field.oneOf(REFUND_WAYS, 'How it is paid out.'),
  reference: optional(
    field.text(
      'The number of the cheque, or the bank’s reference of the transfer; none for cash.',
      '004512',
      80,
    ),
  ),
  reason: field.text('Why; stands on the voucher and in the audit log.', 'Left the school'),
})

export const refundParams = input({
  refund_id: field.resourceId('Id of the refund.', 'rfd_1k092c8gpz8wezh4es8gqprf85'),
})

const line = outputOf<DirectRefund['lines'][number]>()
const out = outputOf<DirectRefund>()
/** What the office has paid out of a payment that it took itself. */
export const counterRefundOutput = out.object({
  id: out.text('Id of the refund.', 'rfd_1k092c8gpz8wezh4es8gqprf85'),
  payment_id: out.text('Of which payment.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  voucher_number: out.text('Of its voucher.', '2026-27/000007', receiptNumber),
  amount: out.amount('Rupees.', 5000),
  way: out.oneOf(REFUND_WAYS, 'How it was paid out.'),
  reference: out.optional.text('The number of the cheque, or the bank’s reference.', '004512'),
  reason: out.text('Why.', 'Left the school'),
  refunded_at: out.moment('When, UTC.', '2026-11-18T06:00:00.000Z'),
  refunded_by: out.text('Who paid it out.', 'counter@school.example'),
  details: out.list(
    'Of which fees.',
    line.object({
      component_type: line.text('The fee.', 'TUITION_FEE'),
      amount: line.amount('Rupees.', 5000),
    }),
    refund => refund.lines,
  ),
})
export type CounterRefundAnswer = Shown<typeof counterRefundOutput>
