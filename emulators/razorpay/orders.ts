import { createHmac } from 'node:crypto'
import { type EmulatorAnswer, type Fields, textOf } from '../server.ts'
import { emit, newId, newPayment, page, refuse, type Books } from './books.ts'
import type { Notes, Order, Payment } from './entities.ts'

/** Orders, and debits under a token. */
export function createOrder(books: Books, body: Fields): EmulatorAnswer {
  const receipt = (body['receipt'] as string | null | undefined) ?? null
  if (receipt !== null && receipt.length > 40)
    return refuse('The receipt may not be greater than 40 characters.')
  if (
    books.habits.hasUniqueReceipts &&
    [...books.orders.values()].some(order => receipt !== null && order.receipt === receipt)
  )
    return refuse('Order receipt should be unique.')
  const notification = body['notification'] as Fields | undefined
  const tokenId = textOf(notification, 'token_id')
  if (notification !== undefined && !books.tokens.has(tokenId))
    return refuse('The id provided does not exist', 400, 'invalid_token')
  const amount = Number(body['amount'])
  const order: Order = {
    id: newId('order'),
    entity: 'order',
    amount,
    amount_paid: 0,
    amount_due: amount,
    currency: 'INR',
    receipt,
    offer_id: null,
    status: 'created',
    attempts: 0,
    notes: (body['notes'] as Notes | undefined) ?? [],
    created_at: books.now(),
  }
  books.orders.set(order.id, order)
  if (notification === undefined) return { status: 200, body: order }
  const payment_after = Number(notification['payment_after'] ?? books.now() + 25 * 3_600)
  books.notifications.set(order.id, { tokenId, paymentAfter: payment_after })
  const told = { id: newId('notification'), entity: 'notification', order_id: order.id, token_id: tokenId }
  emit(books, 'order.notification.delivered', {
    notification: { ...told, delivered_at: books.now(), status: 'delivered', payment_after },
  })
  return { status: 200, body: order }
}

export function listOrders(books: Books, query: URLSearchParams): EmulatorAnswer {
  const receipt = query.get('receipt')
  return page(
    [...books.orders.values()].filter(one => receipt === null || one.receipt === receipt).toReversed(),
    query,
  )
}

export function listOrderPayments(books: Books, orderId: string): EmulatorAnswer {
  const items = [...books.payments.values()].filter(payment => payment.order_id === orderId)
  return { status: 200, body: { entity: 'collection', count: items.length, items } }
}

/** A debit is taken and decided later: nothing in the answer says whether the account had the money. */
export function chargeToken(books: Books, body: Fields): EmulatorAnswer {
  const order = books.orders.get(String(body['order_id']))
  const held = books.tokens.get(String(body['token']))
  if (order === undefined) return refuse('The id provided does not exist')
  if (order.status === 'paid') return refuse('Order already paid.', 400, 'input_validation_failed')
  if (held === undefined || held.customerId !== body['customer_id'])
    return refuse('Invalid Token.', 400, 'invalid_token')
  for (const field of ['email', 'contact'])
    if (typeof body[field] !== 'string' || body[field] === '')
      return refuse(`The ${field} field is required.`)
  if (Number(body['amount']) !== order.amount)
    return refuse('Your payment amount is different from your order amount.', 400, 'input_validation_failed')
  const { token } = held
  const { status } = token.recurring_details
  if (status !== 'confirmed') {
    const reason = status === 'paused' ? 'mandate_paused' : 'mandate_not_active'
    return refuse(`The mandate is ${status}.`, 400, reason)
  }
  if (token.expired_at <= books.now()) return refuse('The mandate is expired.', 400, 'mandate_expired')
  if (order.amount > token.max_amount)
    return refuse('The amount is above the mandate.', 400, 'amount_does_not_match_mandate_amount')
  const notice = books.notifications.get(order.id)
  if (notice !== undefined && (notice.tokenId !== token.id || notice.paymentAfter > books.now()))
    return refuse('The debit was announced for another mandate or a later time.')
  order.attempts++
  order.status = 'attempted'
  const payment = newPayment(books, {
    amount: order.amount,
    status: 'created',
    method: token.method,
    order_id: order.id,
    customer_id: held.customerId,
    token_id: token.id,
    email: String(body['email']),
    contact: String(body['contact']),
    description: (body['description'] as string | undefined) ?? null,
    notes: (body['notes'] as Notes | undefined) ?? [],
  })
  const signed = createHmac('sha256', books.keys.keySecret).update(`${order.id}|${payment.id}`).digest('hex')
  return {
    status: 200,
    body: { razorpay_payment_id: payment.id, razorpay_order_id: order.id, razorpay_signature: signed },
  }
}

/** The bank's word on a debit; a failed one may still be authorised late. */
export function endDebit(
  books: Books,
  payment: Payment,
  outcome: 'captured' | { reason: string; description?: string },
): void {
  if (outcome !== 'captured') {
    Object.assign(payment, {
      status: 'failed',
      error_code: 'BAD_REQUEST_ERROR',
      error_description: outcome.description ?? 'Payment failed.',
      error_source: 'bank',
      error_step: 'payment_authorization',
      error_reason: outcome.reason,
    })
    return emit(books, 'payment.failed', { payment })
  }
  const acquirer_data = { rrn: String(books.now()).padStart(12, '3') }
  const cleared = { error_code: null, error_description: null, error_reason: null, error_source: null }
  Object.assign(payment, { status: 'captured', captured: true, acquirer_data, ...cleared })
  const order = books.orders.get(payment.order_id ?? '')
  if (order !== undefined) Object.assign(order, { status: 'paid', amount_paid: order.amount, amount_due: 0 })
  emit(books, 'payment.authorized', { payment: { ...payment, status: 'authorized', captured: false } })
  emit(books, 'payment.captured', { payment })
  emit(books, 'order.paid', { payment, order })
}
