import { outputOf } from '../http/wire/output.ts'
import type { Refund } from './payments.rules.ts'

/** A refund as the API answers it and as events carry it. */
const out = outputOf<Refund>()
export const refundOutput = out.object({
  id: out.text('Refund id.', 'rfd_1k092c8gpz8wezh4es8gqprf85'),
  amount: out.amount('Rupees.', 5000),
  status: out.oneOf(
    ['pending', 'processed', 'failed'],
    'How far it is.',
    refund => refund.state,
    'processed',
  ),
  reason: out.optional.text('Present only if given.', 'left the school'),
  processed_at: out.optional.moment('When the payer got it back.', '2026-11-18T06:00:00.000Z'),
  utr: out.optional.text('Bank reference; only if processed.', 'HDFCR52026111800042'),
})
