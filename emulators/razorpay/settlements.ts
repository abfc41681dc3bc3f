import { emit, newId, type Books } from './books.ts'
import type { Dispute, Notes, Payment, Refund } from './entities.ts'

/** Disputes, and what reaches the merchant's bank account. */
export type DisputeStatus = 'open' | 'under_review' | 'action_required' | 'won' | 'lost' | 'closed'

export function disputePayment(books: Books, payment: Payment, amount = payment.amount): Dispute {
  const dispute: Dispute = {
    id: newId('disp'),
    entity: 'dispute',
    payment_id: payment.id,
    amount,
    currency: 'INR',
    amount_deducted: 0,
    reason_code: 'chargeback',
    respond_by: books.now() + 7 * 86_400,
    status: 'open',
    phase: 'chargeback',
    created_at: books.now(),
  }
  books.disputes.set(dispute.id, dispute)
  emit(books, 'payment.dispute.created', { payment, dispute })
  return dispute
}

export function moveDispute(books: Books, dispute: Dispute, status: DisputeStatus): void {
  dispute.status = status
  dispute.amount_deducted = status === 'lost' ? dispute.amount : 0
  const payment = books.payments.get(dispute.payment_id)
  emit(books, `payment.dispute.${status}`, { payment, dispute })
}

/** Pays out everything that is captured and not settled yet, less what was refunded or lost in a dispute. */
export function payOut(books: Books): { utr: string; count: number } {
  const done = new Set(books.recon.map(item => item.entity_id))
  const settlementId = newId('setl')
  const payout = { settlement_id: settlementId, settlement_utr: `UTR${settlementId.slice(5).toUpperCase()}` }
  const before = books.recon.length
  for (const payment of books.payments.values())
    if (payment.captured && payment.amount > 0 && !done.has(payment.id)) settlePayment(books, payment, payout)
  for (const { id, amount, notes } of books.routed)
    if (!done.has(id)) put(books, payout, { entity_id: id, type: 'transfer', amount, notes, isDebit: true })
  for (const { id, amount, notes } of books.reversals)
    if (!done.has(id)) put(books, payout, { entity_id: id, type: 'reversal', amount, notes })
  for (const refund of books.refunds)
    if (refund.status === 'processed' && !done.has(refund.id)) settleRefund(books, refund, payout)
  for (const dispute of books.disputes.values())
    if (dispute.status === 'lost' && !done.has(dispute.id)) settleDispute(books, dispute, payout)
  return { utr: payout.settlement_utr, count: books.recon.length - before }
}

type Payout = { settlement_id: string; settlement_utr: string }

/** Two per cent on cards with the tax inside, nothing on the rest: only that a fee may be kept back matters. */
function settlePayment(books: Books, payment: Payment, payout: Payout): void {
  const fee = payment.method === 'card' ? Math.round(payment.amount * 0.0236) : 0
  const link = [...books.links.values()].find(one =>
    one.payments?.some(({ payment_id }) => payment_id === payment.id),
  )
  const order = books.orders.get(payment.order_id ?? '')
  const notes = Array.isArray(payment.notes) ? (link?.notes ?? []) : payment.notes
  const ids = { order_id: payment.order_id, order_receipt: order?.receipt ?? link?.reference_id ?? null }
  put(books, payout, { entity_id: payment.id, type: 'payment', amount: payment.amount, fee, notes, ...ids })
}

function settleRefund(books: Books, refund: Refund, payout: Payout): void {
  const { id, amount, notes, payment_id } = refund
  put(books, payout, { entity_id: id, type: 'refund', amount, notes, payment_id, isDebit: true })
}

function settleDispute(books: Books, dispute: Dispute, payout: Payout): void {
  const { id, amount_deducted, payment_id } = dispute
  const changes = { payment_id, dispute_id: id, isDebit: true, fee: books.habits.disputeFee }
  put(books, payout, { entity_id: id, type: 'adjustment', amount: amount_deducted, notes: [], ...changes })
}

function put(
  books: Books,
  payout: Payout,
  item: {
    entity_id: string
    type: string
    amount: number
    notes: Notes
    fee?: number
    isDebit?: boolean
    payment_id?: string
    dispute_id?: string
    order_id?: string | null
    order_receipt?: string | null
  },
): void {
  const { isDebit = false, fee = 0, ...rest } = item
  books.recon.push({
    payment_id: null,
    dispute_id: null,
    order_id: null,
    order_receipt: null,
    ...rest,
    debit: isDebit ? item.amount + fee : 0,
    credit: isDebit ? 0 : item.amount - fee,
    currency: 'INR',
    fee,
    tax: 0,
    on_hold: false,
    settled: true,
    created_at: books.now(),
    settled_at: books.now(),
    ...payout,
    credit_type: 'default',
    description: null,
    method: null,
    card_network: null,
    card_issuer: null,
    card_type: null,
  })
}
