import { field, input, optional } from '../http/wire/input.ts'

/** What a refund is asked for with, whatever was paid. */
export const refundInput = input({
  amount: optional(field.positiveAmount('Rupees; all that is left when absent.', 5000)),
  reason: optional(field.text('Why, for your own records.', 'left the school')),
})
