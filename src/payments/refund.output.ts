import { outputOf } from '../http/wire/output.ts'
import { chargeNote, type Refund, type RefundLine } from './refunds/refunds.rules.ts'

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
export const refundFields = {
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
export const refundOutput = outputOf<RefundShown>().object('Refund', refundFields)
