import type { Answer } from '../server.ts'
import { emit, newNumber, timeOf, type Books } from './books.ts'
import type { Dispute } from './entities.ts'
import { record } from './settlements.ts'

/** A payer takes a payment back through his bank, and the institute loses: the next pay-out is less by it. */
export function loseDispute(
  books: Books,
  payment: { orderId: string; paymentId: string; amount: number },
): void {
  const { orderId, paymentId, amount } = payment
  const dispute: Dispute = {
    dispute_id: Number(newNumber()),
    dispute_type: 'CHARGEBACK',
    reason_code: '1061',
    reason_description: 'Credit not processed for a cancelled transaction',
    dispute_amount: amount,
    dispute_amount_currency: 'INR',
    created_at: timeOf(books),
    updated_at: timeOf(books),
    respond_by: timeOf(books),
    resolved_at: timeOf(books),
    dispute_status: 'CHARGEBACK_MERCHANT_LOST',
    cf_dispute_remarks: '',
    order_details: {
      order_id: orderId,
      order_amount: amount,
      cf_payment_id: paymentId,
      payment_amount: amount,
    },
  }
  books.disputes.push(dispute)
  record(books, { type: 'CHARGEBACK', amount, orderId, paymentId })
  const { order_details: order, ...told } = dispute
  emit(books, 'DISPUTE_CLOSED', { dispute: told, order_details: order })
}

export function listDisputes(books: Books, paymentId: string): Answer {
  const body = books.disputes.filter(one => one.order_details.cf_payment_id === paymentId)
  return { status: 200, body }
}
