import { type EmulatorAnswer, type Fields, textOf } from '../server.ts'
import { emit, found, newNumber, refuse, timeOf, type Books } from './books.ts'
import type { Execution, Notification } from './entities.ts'
import { isRupees } from './orders.ts'
import { record } from './settlements.ts'

/**
 * The controlled flow for UPI mandates: the merchant has the payer notified, and executes the debit later. Cashfree tries
 * nothing again by itself, and switches the flow on for an account when asked. Its public pages do not say when it refuses
 * an execution: here it does as the rules of UPI Autopay ask, told a day ahead, and one try with three more within 48 hours.
 */
export function createNotification(books: Books, body: Fields): EmulatorAnswer {
  const [id, paymentId] = [String(body['notification_id']), String(body['payment_id'])]
  const subscription = books.subscriptions.get(String(body['subscription_id']))
  if (!books.habits.isControlled)
    return refuse(400, 'feature_not_enabled', 'controlled payments are not enabled for this account')
  if (subscription === undefined) return found(undefined, 'subscription')
  if (books.notifications.has(id))
    return refuse(409, 'notification_already_exists', 'notification with same id is already present')
  const { subscription_id: subscriptionId, subscription_status: status, plan_details: plan } = subscription
  if (status !== 'ACTIVE')
    return refuse(400, 'subscription_not_active', `Subscription is not active: ${status}`)
  if (books.methods.get(subscriptionId) !== 'upi')
    return refuse(400, 'payment_method_invalid', 'controlled payments support UPI mandates only')
  const amount = Number(body['payment_amount'])
  if (!isRupees(amount) || amount > plan.plan_max_amount)
    return refuse(400, 'payment_amount_invalid', 'payment_amount : is above the maximum amount of the plan')
  const notification: Notification = {
    cf_notification_id: newNumber(),
    cf_payment_id: newNumber(),
    notification_id: id,
    notification_initiated_time: timeOf(books),
    notification_status: 'INITIALIZED',
    payment_amount: amount,
    payment_id: paymentId,
    payment_status: 'INITIALIZED',
    payment_remarks: textOf(body, 'payment_remarks'),
    subscription_id: subscriptionId,
  }
  books.notifications.set(id, notification)
  const answer = { status: 200, body: { ...notification } }
  endNotification(books, id, 'SUCCESS')
  return answer
}

/** The payer's app has it, or never gets it. */
export function endNotification(books: Books, id: string, status: 'SUCCESS' | 'FAILED'): void {
  const notification = books.notifications.get(id)
  if (notification === undefined) throw new Error(`no notification ${id}`)
  notification.notification_status = status
  notification.notification_completed_time = timeOf(books)
  emit(books, 'SUBSCRIPTION_PAYMENT_CONTROLLED_NOTIFICATION_STATUS', { ...notification })
}

const MOST_EXECUTIONS = 4

export function createExecution(books: Books, body: Fields): EmulatorAnswer {
  const [id, paymentId] = [String(body['execution_id']), String(body['payment_id'])]
  const told = [...books.notifications.values()].findLast(one => one.payment_id === paymentId)
  if (told === undefined) return found(undefined, 'payment')
  const subscription = books.subscriptions.get(told.subscription_id)
  if (books.executions.has(id))
    return refuse(409, 'execution_already_exists', 'execution with same id is already present')
  if (subscription?.subscription_status !== 'ACTIVE')
    return refuse(400, 'subscription_not_active', 'Subscription is not active')
  const before = [...books.executions.values()].filter(one => one.payment_id === paymentId)
  const problem = whyNot(books, told, before)
  if (problem !== null) return refuse(400, 'execution_not_allowed', problem)
  const execution: Execution = {
    cf_execution_id: newNumber(),
    cf_payment_id: told.cf_payment_id,
    cf_txn_id: newNumber(),
    cf_order_id: newNumber(),
    cf_subscription_id: subscription.cf_subscription_id,
    execution_id: id,
    execution_initiated_time: timeOf(books),
    execution_status: 'INITIALIZED',
    payment_amount: told.payment_amount,
    payment_id: paymentId,
    payment_status: 'PENDING',
    payment_remarks: told.payment_remarks,
    subscription_id: told.subscription_id,
    failure_details: {},
  }
  books.executions.set(id, execution)
  return { status: 200, body: execution }
}

function whyNot(books: Books, told: Notification, before: readonly Execution[]): string | null {
  if (told.notification_status !== 'SUCCESS') return 'the notification has not succeeded'
  const days =
    (Date.parse(dayOf(timeOf(books))) - Date.parse(dayOf(told.notification_completed_time))) / DAY_MS
  if (days < 1 || days > 2) return 'the payer is to be told a day before, and not more than two'
  if (before.some(one => one.execution_status === 'INITIALIZED')) return 'an execution is under way'
  if (before.some(one => one.execution_status === 'SUCCESS')) return 'the payment is paid'
  return before.length >= MOST_EXECUTIONS ? 'the payment was executed four times' : null
}

const DAY_MS = 86_400_000

function dayOf(time = ''): string {
  return time.slice(0, 10)
}

/** The bank pays it or does not. */
export function endExecution(books: Books, id: string, outcome: { isPaid: boolean; reason?: string }): void {
  const execution = books.executions.get(id)
  if (execution === undefined) throw new Error(`no execution ${id}`)
  const status = outcome.isPaid ? 'SUCCESS' : 'FAILED'
  Object.assign(execution, {
    execution_status: status,
    payment_status: status,
    execution_completed_time: timeOf(books),
    failure_details: outcome.isPaid ? {} : { failure_reason: outcome.reason ?? 'Insufficient balance' },
  })
  const { payment_amount: amount, cf_txn_id: paymentId } = execution
  if (outcome.isPaid) record(books, { type: 'PAYMENT', amount, orderId: `SUBV2ODR${newNumber()}`, paymentId })
  emit(books, 'SUBSCRIPTION_PAYMENT_CONTROLLED_EXECUTION_STATUS', { ...execution })
  emit(books, `SUBSCRIPTION_PAYMENT_${status}`, { ...execution, payment_type: 'CHARGE', retry_attempts: 0 })
}
