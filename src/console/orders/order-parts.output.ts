import { outputOf } from '../../http/wire/output.ts'
import type { PaymentRecord } from '../../payments/payments.service.ts'
import { refundAnswerFields } from '../../payments/refund.schemas.ts'
import type { Dispute } from '../../payments/disputes/disputes.rules.ts'
import type { Refund } from '../../payments/refunds/refunds.rules.ts'
import type { MessageRecord } from './detail.store.ts'

/** What an order's page lists, and what stands behind the entries of its timeline. */
const payment = outputOf<PaymentRecord, unknown>()
export const paymentOutput = payment.object({
  id: payment.text('Its id.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  provider: payment.text('Through whom.', 'sandbox'),
  status: payment.oneOf(['created', 'pending', 'captured', 'failed'], 'How far it is.', one => one.state),
  amount: payment.amount('In rupees.', 45000),
  mode: payment.text('How.', 'upi'),
  transaction_id: payment.optional.text('Of the bank.', 'T2611151002'),
  provider_ref: payment.optional.text("The provider's name for it.", 'bank_42'),
  failure_code: payment.optional.text('Why it failed, as a code.', 'insufficient_funds'),
  failure: payment.optional.text('Why it failed.', 'The bank declined.', one => one.failureMessage),
  is_duplicate: payment.flag('Paid a second time; it goes back by itself.', false),
  started_at: payment.moment('When the payer began, UTC.', '2026-11-15T04:31:00.000Z', one => one.createdAt),
  paid_at: payment.optional.moment(
    'When it was paid, UTC.',
    '2026-11-15T04:32:10.000Z',
    one => one.capturedAt,
  ),
  settle_due_on: payment.optional.day('When it should reach the bank.', '2026-11-16'),
  settlement_id: payment.optional.text('Of the settlement.', 'stl_01k9zq4m0ve8sbn6yt2hw3c5da'),
  settlement_utr: payment.optional.text('Of the transfer to the bank.', 'HDFCR52026111600042'),
  settled_at: payment.optional.moment('When it reached the bank, UTC.', '2026-11-16T06:00:00.000Z'),
})

const refund = outputOf<Refund, unknown>()
export const refundRowOutput = refund.object({
  ...refundAnswerFields,
  payment_id: refund.text('Of which payment.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  kind: refund.oneOf(
    ['requested', 'duplicate', 'returned'],
    'Asked for, of a second payment, or taken back by the bank.',
  ),
  failure: refund.optional.text('Why it failed.', 'The account is closed.', one => one.failureMessage),
  requested_at: refund.moment('When it was asked for, UTC.', '2026-11-17T06:00:00.000Z'),
})

const dispute = outputOf<Dispute, unknown>()
export const disputeOutput = dispute.object({
  id: dispute.text('At the provider.', 'disp_EsIAlDcoUr8CaQ', one => one.providerRef),
  dispute_id: dispute.text('Here.', 'dsp_01k9zq4m0ve8sbn6yt2hw3c5da', one => one.id),
  payment_id: dispute.text('Of which payment.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  status: dispute.oneOf(
    ['open', 'under_review', 'action_required', 'won', 'lost', 'closed'],
    'How far it is.',
    one => one.state,
  ),
  amount: dispute.amount('What is disputed, in rupees.', 45000),
  deducted: dispute.amount('What a lost one took, in rupees.', 0),
  reason: dispute.text("The provider's own code.", 'chargeback'),
  phase: dispute.text('As the provider names it.', 'chargeback'),
  respond_by: dispute.optional.moment('Until when it can be answered, UTC.', '2026-11-24T18:30:00.000Z'),
  opened_at: dispute.moment('When it was told, UTC.', '2026-11-17T06:00:00.000Z'),
  changed_at: dispute.moment('When it last changed, UTC.', '2026-11-18T06:00:00.000Z'),
})

const message = outputOf<MessageRecord, unknown>()
export const messageOutput = message.object({
  id: message.text('Its id.', 'msg_01k9zq4m0ve8sbn6yt2hw3c5da'),
  channel: message.text('How.', 'email'),
  recipient: message.text('To whom.', 'asha@example.in'),
  status: message.oneOf(['queued', 'sent', 'failed'], 'How far it is.', one => one.state),
  created_at: message.moment('When it was written, UTC.', '2026-11-15T04:00:00.000Z'),
  sent_at: message.optional.moment('When it left, UTC.', '2026-11-15T04:00:05.000Z'),
  failure: message.optional.text('Why it did not.', 'No such mailbox.'),
})
