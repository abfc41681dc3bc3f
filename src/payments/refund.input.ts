import { field, input, optional } from '../http/wire/input.ts'
import { lineInput } from '../orders/order.input.ts'

/** What a refund is asked for with, whatever was paid. */
export const refundFields = {
  amount: optional(
    field.positiveAmount('Rupees; all that is left when absent, or the sum of `details`.', 5000),
  ),
  details: optional(
    field.list(
      'Of which components, each at most once; when absent the advance of the student first, then spread over all lines in proportion to what is left of them.',
      lineInput,
      { min: 1, max: 50 },
    ),
  ).as('lines'),
}

/** Gives back what a student has paid beyond what is owed. */
export const advanceRefundInput = input(
  {
    amount: optional(
      field.positiveAmount('Rupees; all of the advance that was paid online when absent.', 500),
    ),
    reason: optional(field.text('Why, for your own records.', 'left the school')),
  },
  { name: 'AdvanceRefundRequest' },
)

export const refundInput = input(
  {
    ...refundFields,
    reason: optional(field.text('Why, for your own records.', 'left the school')),
  },
  { name: 'RefundRequest' },
)
