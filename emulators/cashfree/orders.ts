import { type EmulatorAnswer, type Fields, textOf } from '../server.ts'
import { emit, found, newNumber, newSession, refuse, timeOf, type Books } from './books.ts'
import type { Order, Payment, Refund, VendorSplit } from './entities.ts'
import { record } from './settlements.ts'
import { flawOfSplits, recordVendors, sumOf } from './vendors.ts'

/** Orders, what a payer pays of them, and refunds. */
export function createOrder(books: Books, body: Fields): EmulatorAnswer {
  const id = String(body['order_id'])
  const amount = Number(body['order_amount'])
  if (!/^[\w-]{3,45}$/.test(id)) return refuse(400, 'order_id_invalid', 'order_id : is invalid')
  if (!isRupees(amount) || amount < 1) return refuse(400, 'order_amount_invalid', 'order_amount : is invalid')
  const customer = (body['customer_details'] ?? {}) as Record<string, string>
  if (!/^[\da-zA-Z]{3,50}$/.test(customer['customer_id'] ?? ''))
    return refuse(400, 'customer_details.customer_id_invalid', 'customer_details.customer_id : is invalid')
  if (!/^\d{10,14}$/.test(customer['customer_phone'] ?? ''))
    return refuse(
      400,
      'customer_details.customer_phone_invalid',
      'customer_details.customer_phone : is invalid',
    )
  if (books.orders.has(id))
    return refuse(409, 'order_already_exists', 'order with same id is already present')
  const splits = (body['order_splits'] ?? []) as VendorSplit[]
  const flaw = flawOfSplits(books, splits, amount)
  if (flaw !== null) return refuse(400, 'order_splits_invalid', flaw)
  const order: Order = {
    cf_order_id: newNumber(),
    order_id: id,
    entity: 'order',
    order_currency: 'INR',
    order_amount: amount,
    order_status: 'ACTIVE',
    payment_session_id: newSession('session'),
    order_expiry_time: new Date(books.now().getTime() + 30 * 86_400_000).toISOString(),
    order_note: textOf(body, 'order_note'),
    created_at: timeOf(books),
    customer_details: customer,
    order_meta: body['order_meta'] ?? {},
    order_tags: (body['order_tags'] ?? {}) as Order['order_tags'],
    ...(splits.length === 0 ? {} : { order_splits: splits }),
  }
  books.orders.set(id, order)
  return { status: 200, body: order }
}

export function terminateOrder(books: Books, id: string, body: Fields): EmulatorAnswer {
  const order = books.orders.get(id)
  if (order === undefined) return found(undefined, 'order')
  if (body['order_status'] !== 'TERMINATED')
    return refuse(400, 'order_status_invalid', 'order_status : is invalid')
  if (order.order_status !== 'ACTIVE')
    return refuse(400, 'order_not_active', `Order is ${order.order_status} and cannot be terminated`)
  order.order_status = 'TERMINATED'
  return { status: 200, body: order }
}

export function isRupees(amount: number): boolean {
  return Number.isFinite(amount) && Math.abs(amount * 100 - Math.round(amount * 100)) < 1e-6
}

export function listPayments(books: Books, orderId: string): EmulatorAnswer {
  if (!books.orders.has(orderId)) return found(undefined, 'order')
  return { status: 200, body: books.payments.filter(payment => payment.order_id === orderId).toReversed() }
}

/** The payer's visit to the checkout: one try. */
export function payOrder(books: Books, orderId: string, changes: Partial<Payment> = {}): Payment {
  const order = orderOf(books, orderId)
  const payment: Payment = {
    cf_payment_id: newNumber(),
    order_id: orderId,
    entity: 'payment',
    is_captured: true,
    order_amount: order.order_amount,
    order_currency: 'INR',
    payment_group: groupOf(order),
    payment_currency: 'INR',
    payment_amount: order.order_amount,
    payment_time: timeOf(books),
    payment_completion_time: timeOf(books),
    payment_status: 'SUCCESS',
    payment_message: 'Simulated response message',
    bank_reference: newNumber(),
    ...changes,
  }
  books.payments.push(payment)
  if (payment.payment_status === 'SUCCESS') {
    order.order_status = 'PAID'
    recordPayment(books, order, payment)
  }
  tellOfPayment(books, order, payment)
  return payment
}

function recordPayment(books: Books, { order_splits: splits = [] }: Order, payment: Payment): void {
  const { order_id: orderId, cf_payment_id: paymentId, order_amount: amount } = payment
  record(books, { type: 'PAYMENT', amount, orderId, paymentId, vendorShare: sumOf(splits) })
  recordVendors(books, splits, { orderId, entityId: paymentId, isCredit: true })
}

function groupOf({ order_meta: { payment_methods: methods = 'upi' } }: Order): string {
  return methods === 'nb' ? 'net_banking' : methods.startsWith('cc') ? 'credit_card' : 'upi'
}

const EVENTS: Partial<Record<Payment['payment_status'], string>> = {
  SUCCESS: 'PAYMENT_SUCCESS_WEBHOOK',
  FAILED: 'PAYMENT_FAILED_WEBHOOK',
  USER_DROPPED: 'PAYMENT_USER_DROPPED_WEBHOOK',
}

/** A callback's payment has no `order_id` and no amount of the order: they stand beside it. */
function tellOfPayment(books: Books, order: Order, payment: Payment): void {
  const event = EVENTS[payment.payment_status]
  if (event === undefined) return
  const { order_id: orderId, order_amount: amount, order_currency: currency, order_tags: tags } = order
  const { order_id: _, order_amount: __, order_currency: ___, entity: ____, ...told } = payment
  emit(books, event, {
    order: { order_id: orderId, order_amount: amount, order_currency: currency, order_tags: tags },
    payment: told,
    customer_details: order.customer_details,
  })
}

/** A pending try ends. */
export function movePayment(books: Books, cashfreeId: string, changes: Partial<Payment>): void {
  const payment = books.payments.find(one => one.cf_payment_id === cashfreeId)
  if (payment === undefined) throw new Error(`no payment ${cashfreeId}`)
  Object.assign(payment, changes, { payment_completion_time: timeOf(books) })
  const order = orderOf(books, payment.order_id)
  if (payment.payment_status === 'SUCCESS') {
    order.order_status = 'PAID'
    recordPayment(books, order, payment)
  }
  tellOfPayment(books, order, payment)
}

function orderOf(books: Books, orderId: string): Order {
  const order = books.orders.get(orderId)
  if (order === undefined) throw new Error(`no order ${orderId}`)
  return order
}

export function createRefund(books: Books, orderId: string, body: Fields): EmulatorAnswer {
  const payment = books.payments.find(one => one.order_id === orderId && one.payment_status === 'SUCCESS')
  if (payment === undefined && !books.orders.has(orderId)) return found(undefined, 'order')
  if (payment === undefined)
    return refuse(400, 'order_not_paid', 'Refund can be created only for a paid order')
  const id = String(body['refund_id'])
  const amount = Number(body['refund_amount'])
  if (!/^[\w-]{3,40}$/.test(id)) return refuse(400, 'refund_id_invalid', 'refund_id : is invalid')
  if (books.refunds.has(id))
    return refuse(409, 'refund_already_exists', 'refund with same id is already present')
  const before = [...books.refunds.values()]
    .filter(one => one.order_id === orderId && one.refund_status !== 'CANCELLED')
    .reduce((sum, one) => sum + Math.round(one.refund_amount * 100), 0)
  if (!isRupees(amount) || before + Math.round(amount * 100) > Math.round(payment.payment_amount * 100))
    return refuse(400, 'refund_amount_invalid', 'Refund amount cannot be greater than the available balance')
  const splits = (body['refund_splits'] ?? []) as VendorSplit[]
  const flaw = flawOfSplits(books, splits, amount)
  if (flaw !== null) return refuse(400, 'refund_splits_invalid', flaw)
  const refund: Refund = {
    cf_payment_id: payment.cf_payment_id,
    cf_refund_id: newNumber(),
    order_id: orderId,
    refund_id: id,
    entity: 'refund',
    refund_amount: amount,
    refund_currency: 'INR',
    refund_note: textOf(body, 'refund_note'),
    refund_status: 'PENDING',
    refund_arn: '',
    refund_charge: 0,
    status_description: 'In Progress',
    refund_type: 'MERCHANT_INITIATED',
    refund_mode: 'STANDARD',
    created_at: timeOf(books),
    processed_at: '',
    ...(splits.length === 0 ? {} : { refund_splits: splits }),
  }
  books.refunds.set(id, refund)
  return { status: 200, body: refund }
}

/** Somebody of the merchant refunds an order in the dashboard, which names the refund itself. */
export function refundInDashboard(books: Books, orderId: string, rupees: number): void {
  const id = `refund_${newNumber()}`
  const answer = createRefund(books, orderId, { refund_id: id, refund_amount: rupees })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  endRefund(books, id, 'SUCCESS')
}

/** The bank makes a refund, or Cashfree gives it up. */
export function endRefund(books: Books, id: string, status: 'SUCCESS' | 'CANCELLED'): void {
  const refund = books.refunds.get(id)
  if (refund === undefined) throw new Error(`no refund ${id}`)
  const isMade = status === 'SUCCESS'
  Object.assign(refund, {
    refund_status: status,
    refund_arn: isMade ? newNumber() : '',
    processed_at: isMade ? timeOf(books) : '',
    status_description: isMade ? 'Refund processed successfully' : 'Refund could not be processed',
  })
  const { order_id: orderId, cf_payment_id: paymentId } = refund
  const { refund_amount: amount, refund_splits: splits = [], cf_refund_id: entityId } = refund
  if (isMade) {
    record(books, { type: 'REFUND', amount, orderId, paymentId, refundId: id, vendorShare: sumOf(splits) })
    recordVendors(books, splits, { orderId, entityId, isCredit: false })
  }
  // Its own numbers are numbers in this callback, as the documentation shows them.
  const numbers = { cf_refund_id: Number(refund.cf_refund_id), cf_payment_id: Number(refund.cf_payment_id) }
  emit(books, 'REFUND_STATUS_WEBHOOK', { refund: { ...refund, ...numbers, entity: 'Refund' } })
}

export function listRefunds(books: Books, orderId: string): EmulatorAnswer {
  if (!books.orders.has(orderId)) return found(undefined, 'order')
  return { status: 200, body: [...books.refunds.values()].filter(one => one.order_id === orderId) }
}
