import type { EmulatorAnswer } from '../server.ts'
import { emit, newNumber, timeOf, type Books } from './books.ts'
import type { Dispute } from './entities.ts'
import { record } from './settlements.ts'

type Disputed = { orderId: string; paymentId: string; amount: number }

const ANSWER_WITHIN_MS = 7 * 86_400_000

/** A payer takes a payment back through their bank; the institute has a week to answer. */
export function openDispute(books: Books, payment: Disputed): Dispute {
  const dispute = newDispute(books, payment)
  tell(books, 'DISPUTE_CREATED', dispute)
  return dispute
}

/** The institute loses, and the next pay-out is less by it; an earlier event may never have been sent. */
export function loseDispute(books: Books, payment: Disputed, dispute = newDispute(books, payment)): void {
  Object.assign(dispute, {
    dispute_status: 'CHARGEBACK_MERCHANT_LOST',
    updated_at: timeOf(books),
    resolved_at: timeOf(books),
  })
  record(books, { type: 'CHARGEBACK', ...payment })
  tell(books, 'DISPUTE_CLOSED', dispute)
}

/** The institute's answer convinces the bank; nothing moves. */
export function winDispute(books: Books, dispute: Dispute): void {
  Object.assign(dispute, {
    dispute_status: 'CHARGEBACK_MERCHANT_WON',
    updated_at: timeOf(books),
    resolved_at: timeOf(books),
  })
  tell(books, 'DISPUTE_CLOSED', dispute)
}

function newDispute(books: Books, { orderId, paymentId, amount }: Disputed): Dispute {
  const dispute: Dispute = {
    dispute_id: Number(newNumber()),
    dispute_type: 'CHARGEBACK',
    reason_code: '1061',
    reason_description: 'Credit not processed for a cancelled transaction',
    dispute_amount: amount,
    dispute_amount_currency: 'INR',
    created_at: timeOf(books),
    updated_at: timeOf(books),
    respond_by: new Date(books.now().getTime() + ANSWER_WITHIN_MS).toISOString(),
    resolved_at: '',
    dispute_status: 'CHARGEBACK_CREATED',
    cf_dispute_remarks: '',
    order_details: {
      order_id: orderId,
      order_amount: amount,
      cf_payment_id: paymentId,
      payment_amount: amount,
    },
  }
  books.disputes.push(dispute)
  return dispute
}

function tell(books: Books, event: string, { order_details: order, ...dispute }: Dispute): void {
  emit(books, event, { dispute, order_details: order })
}

export function listDisputes(books: Books, of: { paymentId: string } | { orderId: string }): EmulatorAnswer {
  const body = books.disputes.filter(({ order_details: order }) =>
    'paymentId' in of ? order.cf_payment_id === of.paymentId : order.order_id === of.orderId,
  )
  return { status: 200, body }
}
