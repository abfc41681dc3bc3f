import { type EmulatorAnswer, type Fields, textOf } from '../server.ts'
import { emit, found, newNumber, newSession, refuse, timeOf, type Books } from './books.ts'
import type { Charge, ChargeRefund, Subscription } from './entities.ts'
import { isRupees } from './orders.ts'
import { record } from './settlements.ts'

/** Subscriptions on demand, their authorisation, and charges at Cashfree's own pace. */
export function createSubscription(books: Books, body: Fields): EmulatorAnswer {
  const id = String(body['subscription_id'])
  const customer = (body['customer_details'] ?? {}) as Subscription['customer_details']
  const plan = (body['plan_details'] ?? {}) as Subscription['plan_details']
  const asked = (body['authorization_details'] ?? {}) as Fields
  const [method = ''] = (asked['payment_methods'] ?? []) as string[]
  if (!/^[\w. -]{1,250}$/.test(id))
    return refuse(400, 'subscription_id_invalid', 'subscription_id : is invalid')
  if (!/@/.test(customer.customer_email ?? '') || !/^\d{10}$/.test(customer.customer_phone ?? ''))
    return refuse(400, 'customer_details_invalid', 'customer_details : email and phone are needed')
  if (plan.plan_type !== 'ON_DEMAND' || !isRupees(plan.plan_max_amount))
    return refuse(400, 'plan_details_invalid', 'plan_details : is invalid')
  if (method !== 'enach' && method !== 'upi')
    return refuse(400, 'payment_methods_invalid', 'payment_methods : is invalid')
  if (books.subscriptions.has(id))
    return refuse(409, 'subscription_already_exists', 'subscription with same id is already present')
  const subscription: Subscription = {
    cf_subscription_id: newNumber(),
    subscription_id: id,
    subscription_status: 'INITIALIZED',
    subscription_session_id: newSession('sub_session'),
    subscription_expiry_time: String(body['subscription_expiry_time']),
    subscription_note: textOf(body, 'subscription_note'),
    subscription_tags: (body['subscription_tags'] ?? {}) as Record<string, string>,
    subscription_meta: body['subscription_meta'] ?? {},
    customer_details: customer,
    plan_details: plan,
    // Documented: always 0 for eNACH.
    authorisation_details: {
      authorization_amount: method === 'enach' ? 0 : Number(asked['authorization_amount'] ?? 1),
      authorization_amount_refund: asked['authorization_amount_refund'] === true,
    },
  }
  books.subscriptions.set(id, subscription)
  books.methods.set(id, method)
  return { status: 200, body: subscription }
}

/** The payer says yes at the hosted page: UPI is active at once, the bank of an e-mandate confirms it later. */
export function authorise(books: Books, id: string): void {
  const subscription = subscriptionOf(books, id)
  const isUpi = books.methods.get(id) === 'upi'
  Object.assign(subscription.authorisation_details, {
    authorization_reference: isUpi
      ? `${newNumber()}${newNumber()}@cfupi`
      : `UTIB${newNumber()}${newNumber().slice(4)}`,
    authorization_time: timeOf(books),
    authorization_status: isUpi ? 'ACTIVE' : 'PENDING',
    payment_group: books.methods.get(id),
  })
  emit(books, 'SUBSCRIPTION_AUTH_STATUS', authorisationOf(books, subscription, 'SUCCESS'))
  if (isUpi) recordRupee(books, subscription.authorisation_details.authorization_amount)
  moveSubscription(books, id, isUpi ? 'ACTIVE' : 'BANK_APPROVAL_PENDING')
}

/** What a UPI app made the payer pay, and its way back, each a line of its own in a pay-out. */
function recordRupee(books: Books, amount: number): void {
  const [orderId, paymentId] = [`SUBV2ODR${newNumber()}`, newNumber()]
  record(books, { type: 'PAYMENT', amount, orderId, paymentId })
  record(books, { type: 'REFUND', amount, orderId, paymentId, refundId: `SUB_${newNumber()}` })
}

/** The bank confirms an e-mandate. */
export function confirm(books: Books, id: string): void {
  subscriptionOf(books, id).authorisation_details.authorization_status = 'ACTIVE'
  moveSubscription(books, id, 'ACTIVE')
}

/** The payer or the bank says no. */
export function decline(
  books: Books,
  id: string,
  reason = 'Mandate registration rejected by the bank',
): void {
  const subscription = subscriptionOf(books, id)
  subscription.subscription_status = 'INITIALIZED'
  subscription.authorisation_details.authorization_status = 'FAILED'
  emit(books, 'SUBSCRIPTION_AUTH_STATUS', authorisationOf(books, subscription, 'FAILED', reason))
}

function authorisationOf(books: Books, subscription: Subscription, status: string, reason = ''): Fields {
  const { subscription_id: id, cf_subscription_id: cashfreeId, authorisation_details: details } = subscription
  return {
    payment_id: `ab-SUBV2ODR${newNumber()}-1`,
    cf_payment_id: newNumber(),
    subscription_id: id,
    cf_subscription_id: cashfreeId,
    payment_type: 'AUTH',
    authorization_details: details,
    payment_amount: details.authorization_amount,
    payment_currency: 'INR',
    payment_initiated_date: timeOf(books),
    retry_attempts: 0,
    failure_details: { failure_reason: reason },
    payment_status: status,
  }
}

export function moveSubscription(books: Books, id: string, status: string): void {
  const subscription = subscriptionOf(books, id)
  subscription.subscription_status = status
  const {
    authorisation_details: authorisation,
    customer_details: customer,
    plan_details: plan,
  } = subscription
  emit(books, 'SUBSCRIPTION_STATUS_CHANGED', {
    subscription_details: {
      cf_subscription_id: subscription.cf_subscription_id,
      subscription_id: id,
      subscription_status: status,
      subscription_expiry_time: subscription.subscription_expiry_time,
      subscription_tags: subscription.subscription_tags,
    },
    customer_details: customer,
    plan_details: plan,
    authorization_details: authorisation,
  })
}

export function subscriptionOf(books: Books, id: string): Subscription {
  const subscription = books.subscriptions.get(id)
  if (subscription === undefined) throw new Error(`no subscription ${id}`)
  return subscription
}

const ENDED = ['CANCELLED', 'CUSTOMER_CANCELLED', 'EXPIRED', 'COMPLETED', 'LINK_EXPIRED']

export function manageSubscription(books: Books, id: string, body: Fields): EmulatorAnswer {
  const subscription = books.subscriptions.get(id)
  if (subscription === undefined) return found(undefined, 'subscription')
  const next = { CANCEL: 'CANCELLED', PAUSE: 'PAUSED', ACTIVATE: 'ACTIVE' }[String(body['action'])]
  if (next === undefined) return refuse(400, 'action_invalid', 'action : is invalid')
  const { next_scheduled_time: nextTime } = (body['action_details'] ?? {}) as Fields
  if (next === 'ACTIVE' && Number.isNaN(Date.parse(String(nextTime))))
    return refuse(400, 'action_details_invalid', 'next_scheduled_time : is required for ACTIVATE')
  if (ENDED.includes(subscription.subscription_status))
    return refuse(400, 'subscription_status_invalid', `Subscription is ${subscription.subscription_status}`)
  moveSubscription(books, id, next)
  return { status: 200, body: subscription }
}

/** An e-mandate goes to the bank at once; a UPI debit has a day, and the payer is notified a day ahead. */
export function createCharge(books: Books, body: Fields): EmulatorAnswer {
  const [id, subscriptionId] = [String(body['payment_id']), String(body['subscription_id'])]
  const subscription = books.subscriptions.get(subscriptionId)
  if (subscription === undefined) return found(undefined, 'subscription')
  if (books.charges.has(id))
    return refuse(409, 'payment_already_exists', 'payment with same id is already present')
  const { subscription_status: status, plan_details: plan } = subscription
  if (status !== 'ACTIVE')
    return refuse(400, 'subscription_not_active', `Subscription is not active: ${status}`)
  const isUpi = books.methods.get(subscriptionId) === 'upi'
  const day = textOf(body, 'payment_schedule_date').slice(0, 10)
  if (isUpi && !(day > timeOf(books).slice(0, 10)))
    return refuse(400, 'payment_schedule_date_invalid', 'payment_schedule_date : should be after today')
  const amount = Number(body['payment_amount'])
  if (!isRupees(amount) || amount > plan.plan_max_amount)
    return refuse(400, 'payment_amount_invalid', 'payment_amount : is above the maximum amount of the plan')
  const charge: Charge = {
    cf_payment_id: newNumber(),
    cf_subscription_id: subscription.cf_subscription_id,
    cf_txn_id: newNumber(),
    cf_order_id: newNumber(),
    subscription_id: subscriptionId,
    payment_id: id,
    payment_type: 'CHARGE',
    payment_amount: amount,
    payment_status: isUpi ? 'INITIALIZED' : 'PENDING',
    payment_initiated_date: timeOf(books),
    ...(isUpi ? { payment_schedule_date: `${day}T12:00:00+05:30` } : {}),
    payment_remarks: textOf(body, 'payment_remarks'),
    retry_attempts: 0,
    authorization_details: subscription.authorisation_details,
    failure_details: {},
  }
  books.charges.set(id, charge)
  if (isUpi) emit(books, 'SUBSCRIPTION_PAYMENT_NOTIFICATION_INITIATED', { ...charge })
  return { status: 200, body: { ...charge, payment_method: books.methods.get(subscriptionId), data: {} } }
}

/**
 * The bank pays a charge or does not; later it may even take it back. Of a UPI debit every try is told, as the
 * documentation does not say that only the last is; a hard failure is not tried again.
 */
export function endCharge(
  books: Books,
  id: string,
  outcome: { isPaid: boolean; reason?: string; retries?: number },
): void {
  const charge = chargeOf(books, id)
  charge.payment_status = outcome.isPaid ? 'SUCCESS' : 'FAILED'
  charge.retry_attempts = outcome.retries ?? (outcome.isPaid ? 0 : 3)
  charge.failure_details = outcome.isPaid ? {} : { failure_reason: outcome.reason ?? 'Insufficient balance' }
  if (outcome.isPaid) {
    const { payment_amount: amount, cf_txn_id: paymentId = '' } = charge
    record(books, { type: 'PAYMENT', amount, orderId: `SUBV2ODR${newNumber()}`, paymentId })
  }
  emit(books, `SUBSCRIPTION_PAYMENT_${charge.payment_status}`, { ...charge, payment_currency: 'INR' })
  // Documented: a failed payment of an e-mandate puts its subscription on hold.
  if (!outcome.isPaid && books.methods.get(charge.subscription_id) === 'enach')
    moveSubscription(books, charge.subscription_id, 'ON_HOLD')
}

export function chargeOf(books: Books, id: string): Charge {
  const charge = books.charges.get(id)
  if (charge === undefined) throw new Error(`no charge ${id}`)
  return charge
}

export function createChargeRefund(books: Books, subscriptionId: string, body: Fields): EmulatorAnswer {
  const [id, amount] = [String(body['refund_id']), Number(body['refund_amount'])]
  const paymentId = String(body['payment_id'])
  const charge =
    books.charges.get(paymentId) ??
    [...books.executions.values()].findLast(
      one => one.payment_id === paymentId && one.execution_status === 'SUCCESS',
    )
  if (charge === undefined || charge.subscription_id !== subscriptionId) return found(undefined, 'payment')
  if (charge.payment_status !== 'SUCCESS')
    return refuse(400, 'payment_not_paid', 'Only a paid payment is refunded')
  if (books.chargeRefunds.has(id))
    return refuse(409, 'refund_already_exists', 'refund with same id is already present')
  const speed = String(body['refund_speed'])
  if (speed !== (books.methods.get(subscriptionId) === 'upi' ? 'STANDARD' : 'INSTANT'))
    return refuse(400, 'refund_speed_invalid', 'refund_speed : is not supported for this payment')
  if (!isRupees(amount) || amount > charge.payment_amount)
    return refuse(400, 'refund_amount_invalid', 'Refund amount cannot be greater than the payment')
  const refund: ChargeRefund = {
    payment_id: charge.payment_id,
    cf_payment_id: charge.cf_payment_id,
    refund_id: id,
    cf_refund_id: `SUB_${newNumber()}`,
    refund_amount: amount,
    refund_note: textOf(body, 'refund_note'),
    refund_speed: speed,
    refund_status: 'INITIALIZED',
  }
  books.chargeRefunds.set(id, refund)
  return { status: 200, body: refund }
}

export function endChargeRefund(books: Books, id: string, status: 'SUCCESS' | 'FAILED'): void {
  const refund = books.chargeRefunds.get(id)
  if (refund === undefined) throw new Error(`no refund ${id}`)
  refund.refund_status = status
  if (status === 'SUCCESS') record(books, { type: 'REFUND', amount: refund.refund_amount, refundId: id })
  emit(books, 'SUBSCRIPTION_REFUND_STATUS', { ...refund, failure_details: '' })
}
