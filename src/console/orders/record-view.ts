import { toRupees } from '../../platform/money.ts'
import type { OrderDetailAnswer } from './orders.schemas.ts'
import type { MessageRecord, PaymentRecord, RefundRecord } from './detail.store.ts'

/** The parts of an order's story as they are answered with, in its lists and behind its timeline. */
type Defined<Value> = { [Key in keyof Value]: Exclude<Value[Key], undefined> }

/** Without the keys that have no value, as JSON would leave them out anyway. */
export function defined<Value extends object>(value: Value): Defined<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, one]) => one !== undefined),
  ) as unknown as Defined<Value>
}

export function paymentView(payment: PaymentRecord): OrderDetailAnswer['payments'][number] {
  return defined({
    id: payment.id,
    provider: payment.provider,
    status: payment.state,
    amount: toRupees(payment.amountPaise),
    mode: payment.mode,
    transaction_id: payment.transactionId ?? undefined,
    provider_ref: payment.providerRef ?? undefined,
    failure_code: payment.failureCode ?? undefined,
    failure: payment.failureMessage ?? undefined,
    is_duplicate: payment.isDuplicate,
    started_at: payment.createdAt.toISOString(),
    paid_at: payment.capturedAt?.toISOString(),
    settle_due_on: payment.settleDueOn ?? undefined,
    settlement_utr: payment.settlementUtr ?? undefined,
    settled_at: payment.settledAt?.toISOString(),
  })
}

export function refundRowView(refund: RefundRecord): OrderDetailAnswer['refunds'][number] {
  return defined({
    id: refund.id,
    payment_id: refund.paymentId,
    kind: refund.kind,
    status: refund.state,
    amount: toRupees(refund.amountPaise),
    reason: refund.reason ?? undefined,
    utr: refund.utr ?? undefined,
    failure: refund.failureMessage ?? undefined,
    requested_at: refund.requestedAt.toISOString(),
    processed_at: refund.processedAt?.toISOString(),
  })
}

export function messageView(message: MessageRecord) {
  return defined({
    id: message.id,
    channel: message.channel,
    recipient: message.recipient,
    status: message.state,
    created_at: message.createdAt.toISOString(),
    sent_at: message.sentAt?.toISOString(),
    failure: message.failure ?? undefined,
  })
}
