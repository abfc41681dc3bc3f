import { unavailable } from '../../platform/errors.ts'
import { toRupees, type Paise } from '../../platform/money.ts'
import { type Call, readObject, readOptionalText, readText } from '../http.ts'
import {
  ProviderRefused,
  type Announcement,
  type DebitRequest,
  type PaymentOutcome,
  type PaymentReport,
} from '../port.ts'
import {
  type Connection,
  type DebitRef,
  find,
  readDebitRef,
  readOurId,
  refusal,
  repeatable,
  toCashfreeId,
  toDebitRef,
} from './connection.ts'
import { returnCodeOf, outcomeOfSubscription } from './reports.ts'
import * as shapes from './shapes.ts'
import { readMoney, readOptionalId, readOptionalMoment, type Event } from './shapes.ts'
import { DAY_MS, dayAfter, dayOf } from '../../platform/calendar.ts'

/**
 * Cashfree's controlled flow of UPI debits: it notifies the payer when we say so, and debits on the day when we execute, so
 * that a debit happens on its day and is tried again by nobody but us. A notice of ours is one payment there, each of our
 * presentations an execution of it, under our own ids. Where the account does not have it, a notice is refused and the debit
 * is charged by the other way, a day later.
 */
const BASE = '/subscriptions/pay/controlled'

export async function announce(
  connection: Connection,
  { instituteId, noticeId, mandateRef, rail, amountPaise }: Announcement,
): Promise<{ providerRef: string }> {
  const call = connection.begin()
  const paymentId = toCashfreeId(instituteId, noticeId)
  const notice: DebitRef = { rail, subscriptionId: mandateRef, paymentId }
  const body = {
    subscription_id: mandateRef,
    payment_id: paymentId,
    notification_id: paymentId,
    payment_amount: toRupees(amountPaise),
    payment_remarks: 'Fees',
  }
  const options = { body, headers: repeatable(paymentId) }
  const made = await call('POST', `${BASE}/notify-mandate`, readNotification, options).catch(refusal)
  const told = made instanceof ProviderRefused ? await findNotification(call, notice) : made
  if (told === null) throw made
  if (told.amountPaise !== amountPaise) throw new ProviderRefused('Cashfree told the payer another amount.')
  return { providerRef: toDebitRef(notice) }
}

/** Reads the announcement that a reference names, if it was made in this flow: a charge is named by a payment id of ours. */
export function noticeOf(ref: string | null): DebitRef | null {
  const debit = readDebitRef(ref)
  return debit === null || readOurId(debit.paymentId, 'pay') !== null ? null : debit
}

/** Null when the payer's app never got the notice: then it is charged by the other way. */
export async function execute(
  connection: Connection,
  notice: DebitRef,
  { instituteId, paymentId, amountPaise }: DebitRequest,
): Promise<{ providerRef: string } | null> {
  const call = connection.begin()
  const executionId = toCashfreeId(instituteId, paymentId)
  const options = {
    body: { payment_id: notice.paymentId, execution_id: executionId },
    headers: repeatable(executionId),
  }
  const send = () => call('POST', `${BASE}/execute-mandate`, readExecution, options).catch(refusal)
  let made = await send()
  if (made instanceof ProviderRefused) {
    const known = await findExecution(call, notice, executionId)
    if (known !== null) made = known
    else if (await letGoOn(connection, call, { debit: notice, refused: made })) made = await send()
  }
  if (!(made instanceof ProviderRefused)) {
    if (made.amountPaise !== amountPaise)
      throw new ProviderRefused(`Cashfree has ${executionId} with another amount.`)
    return { providerRef: toDebitRef(notice) }
  }
  const told = await findNotification(call, notice)
  if (told === null || told.status === 'FAILED') return null
  // Too early after the notice, which is told late at times: it is presented again in some hours.
  if (isTooEarly(told, connection.now()))
    throw unavailable('Cashfree has not told the payer in time yet.', made)
  throw made
}

const NOTICE_MS = DAY_MS

function isTooEarly({ status, completedAt }: Notification, now: Date): boolean {
  return status !== 'SUCCESS' || (completedAt?.getTime() ?? 0) + NOTICE_MS > now.getTime()
}

/** What became of a presentation; null when Cashfree has not heard of it in this flow. */
export async function readControlled(
  { now }: Connection,
  call: Call,
  notice: DebitRef,
  executionId: string,
): Promise<{ outcome: PaymentOutcome; amountPaise: Paise } | null> {
  const found = await findExecution(call, notice, executionId)
  return found === null ? null : { outcome: outcomeOf(found, now()), amountPaise: found.amountPaise }
}

/** Reads the event about an execution; null when it is not under an id of ours. */
export function reportOfExecution({ type, data, at }: Event): PaymentReport | null {
  if (type !== 'SUBSCRIPTION_PAYMENT_CONTROLLED_EXECUTION_STATUS') return null
  const ours = readOurId(readOptionalText(data, 'execution_id', 'data'), 'pay')
  if (ours === null) return null
  const execution = readExecution(data, 'data')
  const { subscriptionId, paymentId } = execution
  return {
    about: 'payment',
    instituteId: ours.instituteId,
    paymentId: ours.id,
    providerRef: toDebitRef({ rail: 'upi_autopay', subscriptionId, paymentId }),
    outcome: outcomeOf(execution, at),
  }
}

/** Nobody but us tries it again, so a failure is one at once. */
function outcomeOf(
  { status, amountPaise, transactionId, failure, completedAt }: Execution,
  toldAt: Date,
): PaymentOutcome {
  if (status === 'FAILED')
    return { kind: 'failed', code: returnCodeOf(failure, 'upi_autopay'), message: failure }
  if (status !== 'SUCCESS') return { kind: 'pending' }
  const capturedAt = completedAt ?? toldAt
  const [mode, providerPaymentId] = ['upi_autopay', transactionId]
  return { kind: 'captured', amountPaise, mode, transactionId, providerPaymentId, capturedAt }
}

type Notification = ReturnType<typeof readNotification>
type Execution = ReturnType<typeof readExecution>

function findNotification(call: Call, { paymentId }: DebitRef): Promise<Notification | null> {
  const path = `/subscriptions/payments/${paymentId}/controlled/notifications/${paymentId}`
  return find(call, path, readNotification)
}

function findExecution(call: Call, { paymentId }: DebitRef, id: string): Promise<Execution | null> {
  return find(call, `/subscriptions/payments/${paymentId}/controlled/executions/${id}`, readExecution)
}

function readNotification(value: unknown) {
  const at = 'notification'
  const notification = readObject(value, at)
  return {
    status: readText(notification, 'notification_status', at),
    amountPaise: readMoney(notification, 'payment_amount', at),
    completedAt: readOptionalMoment(notification, 'notification_completed_time', at),
  }
}

function readExecution(value: unknown, at = 'execution') {
  const execution = readObject(value, at)
  const { failure_details: details } = execution
  const failure =
    details === undefined || details === null ? {} : readObject(details, `${at}.failure_details`)
  return {
    subscriptionId: readText(execution, 'subscription_id', at),
    paymentId: readText(execution, 'payment_id', at),
    status: readText(execution, 'execution_status', at),
    amountPaise: readMoney(execution, 'payment_amount', at),
    transactionId: readOptionalId(execution, 'cf_txn_id', at) ?? readText(execution, 'cf_payment_id', at),
    failure: readOptionalText(failure, 'failure_reason', at) ?? 'The bank did not pay the debit.',
    completedAt: readOptionalMoment(execution, 'execution_completed_time', at),
  }
}

export function findSubscription(call: Call, id: string): Promise<shapes.Subscription | null> {
  return find(call, `/subscriptions/${encodeURIComponent(id)}`, shapes.readSubscription)
}

/** Activating needs a day, also where no debit follows by itself. */
export async function manage(
  { now }: Connection,
  call: Call,
  id: string,
  action: 'CANCEL' | 'PAUSE' | 'ACTIVATE',
): Promise<void> {
  const tomorrow = `${dayAfter(dayOf(now()))}T00:00:00+05:30`
  const details = action === 'ACTIVATE' ? { action_details: { next_scheduled_time: tomorrow } } : {}
  const body = { subscription_id: id, action, ...details }
  await call('POST', `/subscriptions/${encodeURIComponent(id)}/manage`, () => null, { body })
}

/**
 * After a debit was refused. Cashfree puts a subscription on hold when a debit fails, and we pause one whose plan is stopped:
 * it takes none until told to, and a presentation needs that; true when it was told. A pause of the payer's is the payer's
 * to end. Throws what is over for good.
 */
export async function letGoOn(
  connection: Connection,
  call: Call,
  { debit, refused }: { debit: DebitRef; refused: ProviderRefused },
): Promise<boolean> {
  const subscription = await findSubscription(call, debit.subscriptionId)
  if (subscription?.status === 'ON_HOLD' || subscription?.status === 'PAUSED') {
    await manage(connection, call, debit.subscriptionId, 'ACTIVATE')
    return true
  }
  const outcome = subscription === null ? null : outcomeOfSubscription(subscription)
  if (outcome?.kind === 'cancelled')
    throw new ProviderRefused(outcome.message, returnCodeOf('mandate revoked', debit.rail))
  if (outcome?.kind === 'expired')
    throw new ProviderRefused(refused.message, returnCodeOf('mandate expired', debit.rail))
  return false
}
