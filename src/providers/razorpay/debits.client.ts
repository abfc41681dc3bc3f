import type { Paise } from '../../platform/money.ts'
import type { Call } from '../http.ts'
import {
  ProviderRefused,
  type Announcement,
  type DebitRequest,
  type Rail,
  type PaymentAtProvider,
  type PaymentOutcome,
} from '../port.ts'
import { type Order, type RazorpayPayment, readCharge, readItems, readOrder, readPayment } from './shapes.ts'
import { tokenOf, unsureReads } from './mandates.client.ts'
import { outcomeOfDebit } from './reports.ts'
import { isReason, returnCodeOf } from './return-codes.rules.ts'

/**
 * A debit is an order with our payment id as its receipt, and one charge of the token under it. A charge has no
 * idempotency key: what stands between a lost answer and a second debit is that the order's payments are read first, and
 * that an order is charged once. A debit is known by its order (`order_…`).
 */
const NO_EMAIL = 'void@razorpay.com'

export async function presentDebit(given: Call, request: DebitRequest): Promise<{ providerRef: string }> {
  const call = unsureReads(given)
  const { paymentId, announcedRef, rail } = request
  const order =
    announcedRef === null
      ? ((await findOrder(call, paymentId)) ?? (await createOrder(call, request).catch(refusal(rail))))
      : await call('GET', `/v1/orders/${encodeURIComponent(announcedRef)}`, readOrder)
  refuseOtherAmount(order, request)
  if ((await readAttempts(call, order.id, paymentId)).length === 0) await charge(call, order, request)
  return { providerRef: order.id }
}

/** The order of a debit is made ahead with the moment of the debit, so that Razorpay notifies the payer's bank. */
export async function announceDebit(call: Call, request: Announcement): Promise<{ providerRef: string }> {
  const { noticeId, mandateRef, instituteId, amountPaise, debitAt, rail } = request
  const known = await findOrder(call, noticeId)
  if (known !== null) return { providerRef: refuseOtherAmount(known, request).id }
  const token = await tokenOf(call, mandateRef)
  if (token === null) throw neverAuthorised(rail)
  const body = {
    amount: amountPaise,
    currency: 'INR',
    payment_capture: true,
    receipt: noticeId,
    notification: { token_id: token.tokenId, payment_after: Math.floor(debitAt.getTime() / 1_000) },
    notes: { institute_id: String(instituteId) },
  }
  return { providerRef: (await call('POST', '/v1/orders', readOrder, { body })).id }
}

function refuseOtherAmount(order: Order, { amountPaise }: { amountPaise: Paise }): Order {
  if (order.amountPaise === amountPaise) return order
  throw new ProviderRefused(`Razorpay has ${order.id} under this debit's id with another amount.`)
}

function neverAuthorised(rail: Rail): ProviderRefused {
  return new ProviderRefused('The mandate was never authorised.', returnCodeOf('invalid_token', rail))
}

function createOrder(call: Call, request: DebitRequest): Promise<Order> {
  const { amountPaise, paymentId } = request
  const body = {
    amount: amountPaise,
    currency: 'INR',
    payment_capture: true,
    receipt: paymentId,
    notes: notesOf(request),
  }
  return call('POST', '/v1/orders', readOrder, { body })
}

async function charge(call: Call, order: Order, request: DebitRequest): Promise<void> {
  const { amountPaise, mandateRef, payer, rail, description } = request
  const token = await tokenOf(call, mandateRef)
  if (token === null) throw neverAuthorised(rail)
  const body = {
    email: payer.email || NO_EMAIL,
    contact: payer.phone,
    amount: amountPaise,
    currency: 'INR',
    order_id: order.id,
    customer_id: token.customerId,
    token: token.tokenId,
    recurring: true,
    description,
    notes: notesOf(request),
  }
  try {
    await call('POST', '/v1/payments/create/recurring', readCharge, { body })
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    // Refused because another of us was first: then the debit stands.
    if ((await readAttempts(call, order.id, request.paymentId)).length > 0) return
    refusal(rail)(error)
  }
}

const NEVER_SENT = 'abandoned'

/** A refusal before there is a charge has reached no bank, unless Razorpay says that mandate or account are over. */
function refusal(rail: Rail): (error: unknown) => never {
  return error => {
    if (!(error instanceof ProviderRefused)) throw error
    const reason = error.code ?? ''
    const code = isReason(reason) ? returnCodeOf(reason, rail) : NEVER_SENT
    throw new ProviderRefused(`${error.message} (Razorpay: ${reason})`, code)
  }
}

function notesOf({ instituteId, paymentId }: DebitRequest): Record<string, string> {
  return { institute_id: String(instituteId), payment_id: paymentId }
}

async function findOrder(call: Call, paymentId: string): Promise<Order | null> {
  const query = new URLSearchParams({ receipt: paymentId })
  const orders = await call('GET', `/v1/orders?${query}`, answer => readItems(answer, readOrder))
  // Compared here too, should the filter ever be ignored; of several the first made is the one that was charged.
  return orders.findLast(order => order.receipt === paymentId) ?? null
}

/** An announced order may be charged again after a bounce, by a later payment of ours: each has its own attempts. */
async function readAttempts(call: Call, orderId: string, paymentId: string): Promise<RazorpayPayment[]> {
  const path = `/v1/orders/${encodeURIComponent(orderId)}/payments`
  const payments = await call('GET', path, answer => readItems(answer, readPayment))
  return payments.filter(({ notes }) => notes.paymentId === null || notes.paymentId === paymentId)
}

/** The payment that tells how a debit stands: one that took money, else one under way, else the last that failed. */
export async function readDebit(
  call: Call,
  orderId: string,
  paymentId: string,
): Promise<RazorpayPayment | null> {
  const attempts = await readAttempts(call, orderId, paymentId)
  const paid = attempts.find(({ status }) => status === 'captured' || status === 'refunded')
  return paid ?? attempts.find(({ status }) => status !== 'failed') ?? attempts.at(-1) ?? null
}

/** Null: there is no order, so it was never presented. */
export async function readDebitOutcome(
  call: Call,
  { paymentId, providerRef }: PaymentAtProvider,
): Promise<{ orderId: string; outcome: PaymentOutcome } | null> {
  const orderId =
    providerRef?.startsWith('order_') === true ? providerRef : (await findOrder(call, paymentId))?.id
  if (orderId === undefined) return null
  const payment = await readDebit(call, orderId, paymentId)
  return { orderId, outcome: payment === null ? { kind: 'open' } : outcomeOfDebit(payment) }
}
