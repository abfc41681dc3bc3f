import { dayAfter, dayOf } from '../../platform/calendar.ts'
import { unavailable } from '../../platform/errors.ts'
import { paiseOf, toRupees, type Paise } from '../../platform/money.ts'
import type { Call } from '../http.ts'
import {
  ProviderRefused,
  type DebitRequest,
  type MandateAtProvider,
  type MandatePort,
  type MandateReport,
  type MandateRequest,
  type ReturnReport,
  type PaymentAtProvider,
  type StartedAtProvider,
  type PaymentOutcome,
} from '../port.ts'
import {
  checkoutUrl,
  type Connection,
  type DebitRef,
  find,
  phoneOf,
  readDebitRef,
  refusal,
  repeatable,
  toCashfreeId,
  toDebitRef,
  withoutEmpty,
} from './connection.ts'
import {
  announce,
  execute,
  noticeOf,
  readControlled,
  findSubscription,
  letGoOn,
  manage,
} from './controlled.client.ts'
import { outcomeOfCharge, outcomeOfSubscription, reportOfSubscription } from './reports.ts'
import * as shapes from './shapes.ts'

/**
 * Cashfree's Subscriptions on demand. A mandate of ours is one subscription and a debit one payment under it, both under
 * ids of ours. An eNACH debit goes to the bank as it is presented. A UPI debit is announced and executed (controlled.client.ts);
 * where an account cannot, Cashfree notifies the payer, makes it the day after, and tries it again by itself (see
 * `outcomeOfCharge`).
 */
export function createMandates(connection: Connection): MandatePort {
  return {
    rails: ['enach', 'upi_autopay'],
    registrationPaise: { upi_autopay: UPI_AUTHORISATION_PAISE },
    register: request => register(connection, request),
    status: mandate => readMandate(connection, mandate),
    announcedRails: ['upi_autopay'],
    announce: request => announce(connection, request),
    referenceOf: request => toDebitRef(noticeOf(request.announcedRef) ?? debitOf(request)),
    present: request => present(connection, request),
    returned: payment => readReturn(connection, payment),
    pause: mandate => changeState(connection, mandate, 'PAUSE'),
    resume: mandate => changeState(connection, mandate, 'ACTIVATE'),
    cancel: mandate => cancel(connection, mandate),
  }
}

const METHODS = { enach: 'enach', upi_autopay: 'upi' }
/** What a UPI app asks the payer to pay when they authorise it; Cashfree gives it back. An e-mandate asks for nothing. */
const UPI_AUTHORISATION_PAISE = paiseOf(100)

async function register(connection: Connection, request: MandateRequest): Promise<StartedAtProvider> {
  const { instituteId, mandateId, payer, rail, capPaise, returnUrl } = request
  const call = connection.begin()
  const subscriptionId = toCashfreeId(instituteId, mandateId)
  if (payer.email === '')
    throw new ProviderRefused('Cashfree needs an e-mail address of the payer.', 'email_missing')
  const body = {
    subscription_id: subscriptionId,
    customer_details: withoutEmpty({
      customer_name: payer.name.slice(0, 100),
      customer_email: payer.email,
      customer_phone: phoneOf(payer.phone),
    }),
    plan_details: {
      plan_name: 'Fees',
      plan_type: 'ON_DEMAND',
      plan_currency: 'INR',
      plan_max_amount: toRupees(capPaise),
    },
    authorization_details: {
      authorization_amount: toRupees(UPI_AUTHORISATION_PAISE),
      authorization_amount_refund: true,
      payment_methods: [METHODS[rail]],
    },
    subscription_meta: { return_url: returnUrl },
    subscription_expiry_time: `${request.endOn}T23:59:59+05:30`,
    subscription_tags: { institute_id: String(instituteId), mandate_id: mandateId },
  }
  const made = await call('POST', '/subscriptions', shapes.readSubscription, {
    body,
    headers: repeatable(subscriptionId),
  }).catch(refusal)
  const found = made instanceof ProviderRefused ? await findSubscription(call, subscriptionId) : made
  if (found === null) throw made
  if (found.subscriptionId !== subscriptionId || (found.maxPaise ?? capPaise) !== capPaise)
    throw new ProviderRefused(`Cashfree has ${subscriptionId} with other contents.`)
  if (found.sessionId === null) throw unavailable('Cashfree gave no session for this mandate.')
  const redirectUrl = checkoutUrl(connection, { kind: 'mandate', session: found.sessionId, returnUrl })
  return { providerRef: subscriptionId, redirectUrl }
}

async function readMandate({ begin }: Connection, mandate: MandateAtProvider): Promise<MandateReport> {
  const { instituteId, mandateId } = mandate
  const subscriptionId = toCashfreeId(instituteId, mandateId)
  const subscription = await findSubscription(begin(), subscriptionId)
  const report = subscription === null ? null : reportOfSubscription(subscription)
  // One that Cashfree does not know is not rejected: the payer has not been sent there yet.
  return (
    report ?? {
      about: 'mandate',
      instituteId,
      mandateId,
      providerRef: subscriptionId,
      outcome: { kind: 'open' },
    }
  )
}

async function present(connection: Connection, request: DebitRequest): Promise<{ providerRef: string }> {
  const notice = noticeOf(request.announcedRef)
  const executed = notice === null ? null : await execute(connection, notice, request)
  if (executed !== null) return executed
  const call = connection.begin()
  const debit = debitOf(request)
  const send = () => charge(connection, call, { debit, request })
  const made = await send().catch(refusal)
  const sent =
    made instanceof ProviderRefused
      ? await afterRefusal(connection, call, { debit, refused: made, send })
      : made
  if (sent.amountPaise !== request.amountPaise)
    throw new ProviderRefused(`Cashfree has ${debit.paymentId} with another amount.`)
  return { providerRef: toDebitRef(debit) }
}

function debitOf({ instituteId, paymentId, mandateRef, rail }: DebitRequest): DebitRef {
  return { rail, subscriptionId: mandateRef, paymentId: toCashfreeId(instituteId, paymentId) }
}

function charge(
  { now }: Connection,
  call: Call,
  { debit, request }: { debit: DebitRef; request: DebitRequest },
): Promise<shapes.Charge> {
  const { subscriptionId, paymentId, rail } = debit
  const body = {
    subscription_id: subscriptionId,
    payment_id: paymentId,
    payment_type: 'CHARGE',
    payment_amount: toRupees(request.amountPaise),
    payment_remarks: request.description.slice(0, 100),
    // Only its date counts, and the payer is notified a day ahead.
    ...(rail === 'enach' ? {} : { payment_schedule_date: `${dayAfter(dayOf(now()))}T00:00:00+05:30` }),
  }
  return call('POST', '/subscriptions/pay', shapes.readCharge, { body, headers: repeatable(paymentId) })
}

/** It may be there already. */
async function afterRefusal(
  connection: Connection,
  call: Call,
  { debit, refused, send }: { debit: DebitRef; refused: ProviderRefused; send: () => Promise<shapes.Charge> },
): Promise<shapes.Charge> {
  const known = await findDebit(call, debit)
  if (known !== null) return known
  if (await letGoOn(connection, call, { debit, refused })) return send()
  throw refused
}

function findDebit(call: Call, { subscriptionId, paymentId }: DebitRef): Promise<shapes.Charge | null> {
  return find(call, `/subscriptions/${subscriptionId}/payments/${paymentId}`, shapes.readCharge)
}

type FoundDebit = { outcome: PaymentOutcome; amountPaise: Paise; ref: string }

/** What became of a debit, and under which reference; null when Cashfree has not heard of it. */
export async function readDebit(
  connection: Connection,
  call: Call,
  { instituteId, paymentId, providerRef }: PaymentAtProvider,
): Promise<FoundDebit | null> {
  const named = readDebitRef(providerRef)
  if (named === null) return null
  const ourId = toCashfreeId(instituteId, paymentId)
  const notice = noticeOf(providerRef)
  const executed = notice === null ? null : await readControlled(connection, call, notice, ourId)
  if (executed !== null) return { ...executed, ref: toDebitRef(named) }
  // A debit that was announced may have been charged by the ordinary flow all the same.
  const debit = notice === null ? named : { ...named, paymentId: ourId }
  const found = await findDebit(call, debit)
  if (found === null) return null
  const { amountPaise } = found
  return { outcome: outcomeOfCharge(found, connection.now()), amountPaise, ref: toDebitRef(debit) }
}

/** A debit that was paid is taken back when it fails afterwards. What a lost dispute takes is told as one. */
async function readReturn(connection: Connection, payment: PaymentAtProvider): Promise<ReturnReport | null> {
  const { instituteId, paymentId } = payment
  const call = connection.begin()
  const found = await readDebit(connection, call, payment)
  if (found === null) return null
  const { outcome, amountPaise } = found
  const about = { about: 'return' as const, instituteId, paymentId }
  if (outcome.kind !== 'failed') return null
  const { code, message } = outcome
  return { ...about, amountPaise, code, message, returnedAt: connection.now() }
}

async function cancel(connection: Connection, mandate: MandateAtProvider): Promise<void> {
  const call = connection.begin()
  const subscriptionId = mandate.providerRef ?? toCashfreeId(mandate.instituteId, mandate.mandateId)
  const refused = await manage(connection, call, subscriptionId, 'CANCEL').catch(refusal)
  if (!(refused instanceof ProviderRefused)) return
  // One that has ended by itself, or never began, needs no end.
  const subscription = await findSubscription(call, subscriptionId)
  if (subscription === null) return
  const { kind } = outcomeOfSubscription(subscription)
  if (kind !== 'cancelled' && kind !== 'expired' && kind !== 'rejected') throw refused
}

const AFTER = { PAUSE: 'PAUSED', ACTIVATE: 'ACTIVE' }

async function changeState(
  connection: Connection,
  mandate: MandateAtProvider,
  action: 'PAUSE' | 'ACTIVATE',
): Promise<void> {
  const call = connection.begin()
  const subscriptionId = mandate.providerRef ?? toCashfreeId(mandate.instituteId, mandate.mandateId)
  const before = await findSubscription(call, subscriptionId)
  if (before?.status === AFTER[action]) return
  await manage(connection, call, subscriptionId, action)
}
