import { field, input, optional } from '../../http/wire/input.ts'
import { refundFields } from '../../payments/refund.input.ts'
import { REFUND_WAYS } from '../../students/direct-payments/direct-payments.rules.ts'

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
