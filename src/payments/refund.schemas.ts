import { outputOf } from '../http/wire/output.ts'
import { chargeNote, type Refund, type RefundLine } from './refunds/refunds.rules.ts'
import { field, input, optional } from '../http/wire/input.ts'
import { lineInput } from '../orders/order.input.ts'

/** A refund as the API answers it and as events carry it. */
const line = outputOf<RefundLine, unknown>()
const lineOutput = line.object('RefundLine', {
  component_type: line.text('What was paid for.', 'TUITION_FEE'),
  amount: line.amount('Rupees given back of it.', 5000),
})

export type RefundShown = Omit<
  Refund,
  | 'instituteId'
  | 'paymentId'
  | 'orderId'
  | 'kind'
  | 'cause'
  | 'providerRef'
  | 'failureMessage'
  | 'requestedAt'
  | 'tries'
>

const out = outputOf<RefundShown, unknown>()
export const refundAnswerFields = {
  id: out.text('Refund id.', 'rfd_1k092c8gpz8wezh4es8gqprf85'),
  amount: out.amount('Rupees.', 5000),
  status: out.oneOf(
    ['pending', 'processed', 'failed'],
    'How far it is.',
    refund => refund.state,
    'processed',
  ),
  reason: out.optional.text(
    'Present only if given. Of money that a bank took back: why, and what of it is charged to the family.',
    'left the school',
    ({ reason, chargedPaise }) => [reason, chargeNote(chargedPaise)].filter(Boolean).join(' ') || null,
  ),
  processed_at: out.optional.moment('When the payer got it back.', '2026-11-18T06:00:00.000Z'),
  utr: out.optional.text('Bank reference; only if processed.', 'HDFCR52026111800042'),
  details: out.list(
    'Of which lines; they add up to the amount, less what is charged to the family.',
    lineOutput,
    refund => refund.lines,
  ),
}
export const refundOutput = outputOf<RefundShown>().object('Refund', refundAnswerFields)

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
