import { DAY_MS, dayOf, startOfDay } from '../../platform/calendar.ts'
import { unavailable } from '../../platform/errors.ts'
import { type Paise, paiseOf, ZERO } from '../../platform/money.ts'
import { AnswerError, isObject, readObject, readOptionalText, readText } from '../http.ts'
import { readOurId, toDebitRef } from './connection.ts'
import * as shapes from './shapes.ts'
import { readId, readMoney, readOptionalId, readOptionalMoment } from './shapes.ts'
import type {
  DisputeReport,
  DisputeState,
  MandateOutcome,
  MandateReport,
  PaymentOutcome,
  PaymentReport,
  Rail,
  RefundOutcome,
  RefundReport,
  Report,
} from '../port.ts'

/** Translates what Cashfree says into our words, without I/O. */

/** An event about something that is not under an id of ours says nothing to us: the account may serve others too. */
export function reportsOf(event: shapes.Event): Report[] {
  switch (event.type) {
    case 'PAYMENT_SUCCESS_WEBHOOK':
    case 'PAYMENT_FAILED_WEBHOOK':
    case 'PAYMENT_USER_DROPPED_WEBHOOK':
      return present(reportOfPayment(event))
    case 'REFUND_STATUS_WEBHOOK':
      return present(reportOfRefund(readObject(event.data['refund'], 'data.refund'), event.at))
    case 'SUBSCRIPTION_REFUND_STATUS':
      return present(reportOfRefund(event.data, event.at))
    case 'SUBSCRIPTION_STATUS_CHANGED':
    case 'SUBSCRIPTION_STATUS_CHANGE':
      return present(reportOfSubscription(shapes.readSubscription(event.data)))
    case 'SUBSCRIPTION_AUTH_STATUS':
      return present(reportOfAuthorisation(event))
    case 'SUBSCRIPTION_PAYMENT_SUCCESS':
    case 'SUBSCRIPTION_PAYMENT_FAILED':
    case 'SUBSCRIPTION_PAYMENT_CANCELLED':
      return present(reportOfCharge(event))
    case 'DISPUTE_CREATED':
    case 'DISPUTE_UPDATED':
    case 'DISPUTE_CLOSED':
      return present(reportOfDispute(event))
    default:
      return []
  }
}

function present<T>(value: T | null): T[] {
  return value === null ? [] : [value]
}

function reportOfPayment({ data, at }: shapes.Event): PaymentReport | null {
  const order = readObject(data['order'], 'data.order')
  const ours = typeof order['order_id'] === 'string' ? readOurId(order['order_id'], 'pay') : null
  if (ours === null) return null
  const payment = shapes.readPayment(data['payment'], 'data.payment', order)
  return {
    about: 'payment',
    instituteId: ours.instituteId,
    paymentId: ours.id,
    providerRef: String(order['order_id']),
    outcome: outcomeOfPayment(payment, at),
  }
}

function reportOfRefund(data: shapes.Event['data'], at: Date): RefundReport | null {
  const ours = typeof data['refund_id'] === 'string' ? readOurId(data['refund_id'], 'rfd') : null
  if (ours === null) return null
  const refund = shapes.readRefund(data, 'data')
  const outcome = outcomeOfRefund(refund, at)
  return {
    about: 'refund',
    instituteId: ours.instituteId,
    refundId: ours.id,
    providerRef: refund.id,
    outcome,
  }
}

export function reportOfSubscription(subscription: shapes.Subscription): MandateReport | null {
  const { subscriptionId } = subscription
  const ours = readOurId(subscriptionId, 'mdt')
  if (ours === null) return null
  return {
    about: 'mandate',
    instituteId: ours.instituteId,
    mandateId: ours.id,
    providerRef: subscriptionId,
    outcome: outcomeOfSubscription(subscription),
  }
}

/** The subscription's own event reports success, so this one only reports what went wrong. */
function reportOfAuthorisation({ data }: shapes.Event): MandateReport | null {
  const { subscriptionId, status, failure } = shapes.readCharge(data, 'data')
  const ours = readOurId(subscriptionId, 'mdt')
  if (ours === null) return null
  const outcome: MandateOutcome =
    status === 'FAILED' ? afterFailure(shapes.readAuthorisation(data, 'data'), failure) : { kind: 'open' }
  const { instituteId, id: mandateId } = ours
  return { about: 'mandate', instituteId, mandateId, providerRef: subscriptionId, outcome }
}

/**
 * A payer who declined, or whose app failed, may try again at the same page: the subscription stays as it was. Only a bank
 * that was asked to register an e-mandate, and has given it a number, says no for good.
 */
function afterFailure({ group, reference }: shapes.Authorisation, message: string): MandateOutcome {
  return group === 'enach' && reference !== null
    ? { kind: 'rejected', code: 'authorisation_failed', message }
    : { kind: 'open' }
}

function reportOfCharge({ data, at }: shapes.Event): PaymentReport | null {
  const charge = shapes.readCharge(data, 'data')
  const ours = readOurId(charge.paymentId, 'pay')
  if (ours === null) return null
  const { subscriptionId, paymentId } = charge
  return {
    about: 'payment',
    instituteId: ours.instituteId,
    paymentId: ours.id,
    providerRef: toDebitRef({ rail: railOf(charge), subscriptionId, paymentId }),
    outcome: outcomeOfCharge(charge, at),
  }
}

function railOf({ isUpi }: shapes.Charge): Rail {
  return isUpi ? 'upi_autopay' : 'enach'
}

/** Outcome of an order that nobody has tried to pay. */
export function outcomeOfOrder(status: string): PaymentOutcome {
  switch (status) {
    case 'ACTIVE':
      return { kind: 'open' }
    case 'EXPIRED':
      return { kind: 'failed', code: 'expired', message: 'The time to pay ran out.' }
    case 'TERMINATED':
      return { kind: 'failed', code: 'cancelled', message: 'The payment was cancelled.' }
    // PAID, TERMINATION_REQUESTED and whatever is added: money may be on its way.
    default:
      return { kind: 'pending' }
  }
}

export function outcomeOfPayment(payment: shapes.CashfreePayment, toldAt: Date): PaymentOutcome {
  switch (payment.status) {
    case 'SUCCESS':
      return {
        kind: 'captured',
        amountPaise: payment.amountPaise,
        mode: modeOf(payment.group),
        transactionId: payment.bankReference ?? payment.id,
        providerPaymentId: payment.id,
        capturedAt: payment.at ?? toldAt,
      }
    case 'FAILED':
    case 'CANCELLED':
    case 'VOID':
    case 'USER_DROPPED':
      return { kind: 'failed', ...payment.error }
    case 'NOT_ATTEMPTED':
      return { kind: 'open' }
    default:
      return { kind: 'pending' }
  }
}

function modeOf(group: string): string {
  if (group.startsWith('upi')) return 'upi'
  if (group.includes('card')) return 'card'
  return group === 'net_banking' ? 'netbanking' : group
}

export function outcomeOfRefund(refund: shapes.CashfreeRefund, toldAt: Date): RefundOutcome {
  switch (refund.status) {
    case 'SUCCESS':
      return {
        kind: 'processed',
        utr: refund.bankReference ?? refund.id,
        processedAt: refund.processedAt ?? toldAt,
      }
    case 'FAILED':
    case 'CANCELLED':
    case 'CANCEL':
    case 'REJECTED':
      return { kind: 'failed', message: refund.description ?? 'Cashfree could not make this refund.' }
    // PENDING, ONHOLD, INITIALIZED and whatever is added.
    default:
      return { kind: 'pending' }
  }
}

export function outcomeOfSubscription({ status, authorisation }: shapes.Subscription): MandateOutcome {
  const reference = authorisation.reference ?? undefined
  const names = authorisation.group === 'upi' ? { upiReference: reference } : { umrn: reference }
  switch (status) {
    case 'BANK_APPROVAL_PENDING':
      return { kind: 'authorised', ...names }
    case 'ACTIVE':
      return { kind: 'active', ...names, isPausedByPayer: false }
    // It debits nothing until the payer lets it.
    case 'CUSTOMER_PAUSED':
      return { kind: 'active', ...names, isPausedByPayer: true }
    case 'CANCELLED':
      return { kind: 'cancelled', code: 'cancelled', message: 'The mandate was cancelled at Cashfree.' }
    case 'CUSTOMER_CANCELLED':
      return { kind: 'cancelled', code: 'QA', message: 'The payer cancelled the mandate at the bank.' }
    case 'EXPIRED':
    case 'COMPLETED':
      return { kind: 'expired' }
    case 'LINK_EXPIRED':
      return { kind: 'rejected', code: 'expired', message: 'The time to authorise the mandate ran out.' }
    case 'INITIALIZED':
    case 'INITIALISED':
      return authorisation.status === 'FAILED'
        ? afterFailure(authorisation, 'The bank did not accept the mandate.')
        : { kind: 'open' }
    // ON_HOLD and our own pause end nothing; a debit that comes meanwhile is refused.
    default:
      return { kind: 'open' }
  }
}

export function outcomeOfCharge(charge: shapes.Charge, toldAt: Date): PaymentOutcome {
  const rail = railOf(charge)
  switch (charge.status) {
    case 'SUCCESS':
      return {
        kind: 'captured',
        amountPaise: charge.amountPaise,
        mode: rail,
        transactionId: charge.transactionId ?? charge.paymentId,
        providerPaymentId: charge.transactionId ?? undefined,
        capturedAt: toldAt,
      }
    case 'FAILED':
      if (charge.isUpi && mayBeTriedAgain(charge, toldAt)) return { kind: 'pending' }
      return { kind: 'failed', code: returnCodeOf(charge.failure, rail), message: charge.failure }
    case 'CANCELLED':
      return { kind: 'failed', code: 'cancelled', message: charge.failure }
    default:
      return { kind: 'pending' }
  }
}

const RETRIES = 3

/**
 * Cashfree tries a UPI debit that failed three more times by itself, an hour apart, on its day. Until that is over a
 * failure is none: we would present it again, and both might be paid.
 */
function mayBeTriedAgain({ retries, scheduledAt }: shapes.Charge, now: Date): boolean {
  if (retries >= RETRIES || scheduledAt === null) return false
  return now.getTime() < startOfDay(dayOf(scheduledAt)).getTime() + DAY_MS
}

/** Computes the charges and their tax that were kept back from the money that moved. */
export function feeOf(event: shapes.ReconEvent): Paise {
  const fee = event.isCredit ? event.amountPaise - event.settledPaise : event.settledPaise - event.amountPaise
  if (fee < 0) throw unavailable(`Cashfree's figures for ${event.id} do not add up.`)
  return paiseOf(fee)
}

/**
 * Cashfree tells why a debit failed in a sentence, not by NPCI's number. The number decides whether a debit is tried
 * again, so only sentences that leave no doubt get one; every other failure keeps its words and waits for a person.
 */
const REASONS: readonly [sentence: RegExp, codes: Record<Rail, string>][] = [
  [/insufficient|not enough (fund|balance)|low balance/i, { enach: '04', upi_autopay: 'Z9' }],
  [/account.*\bclosed\b|\bclosed\b.*account/i, { enach: '01', upi_autopay: '01' }],
  [/no such account|invalid account|account does ?n.t exist/i, { enach: '02', upi_autopay: '02' }],
  [/account.*(frozen|blocked|inoperative|dormant)/i, { enach: '53', upi_autopay: '53' }],
  [/(mandate|umrn|umn|subscription).*(revoked|cancel|withdrawn)/i, { enach: '29', upi_autopay: 'QA' }],
  [
    /(mandate|umrn|umn).*(expired|not (found|registered|active)|invalid)/i,
    { enach: '12', upi_autopay: 'VM' },
  ],
  [/exceed|above.*limit|limit.*(reached|crossed)/i, { enach: '15', upi_autopay: 'U54' }],
  [
    /(bank|switch|remitter|npci).*(unavailable|down|time.?d? ?out|not respond)/i,
    { enach: '59', upi_autopay: 'U88' },
  ],
]

export function returnCodeOf(sentence: string, rail: Rail): string {
  return REASONS.find(([pattern]) => pattern.test(sentence))?.[1][rail] ?? 'failed'
}

/** A debit's order has an id of Cashfree's own: it is known by the number that we got when it was paid. */
function reportOfDispute({ data, at }: shapes.Event): DisputeReport | null {
  const { orderId, transactionId } = readDisputed(data['order_details'])
  const ours = readOurId(orderId, 'pay')
  if (ours === null && transactionId === null) return null
  const dispute = readDispute(data['dispute'], 'data.dispute')
  const about = { instituteId: ours?.instituteId ?? 0, paymentId: ours?.id ?? '' }
  return {
    ...aboutDispute(dispute, about, at),
    ...(ours === null && transactionId !== null ? { transactionId } : {}),
  }
}

export function aboutDispute(
  dispute: Dispute,
  ours: { instituteId: number; paymentId: string },
  at: Date,
): DisputeReport {
  const { id: providerRef, amountPaise, reasonCode, reason, respondBy } = dispute
  const state = stateOfDispute(dispute)
  return {
    about: 'dispute',
    ...ours,
    providerRef,
    state,
    amountPaise,
    deductedPaise: state === 'lost' ? amountPaise : ZERO,
    reasonCode,
    reason,
    phase: dispute.type.toLowerCase(),
    respondBy,
    at,
  }
}

function stateOfDispute({ status }: Dispute): DisputeState {
  if (status.endsWith('_WON')) return 'won'
  if (/_(LOST|ACCEPTED|INSUFFICIENT_EVIDENCE)$/.test(status)) return 'lost'
  return /_(DOCS_RECEIVED|UNDER_REVIEW)$/.test(status) ? 'under_review' : 'open'
}

type Dispute = {
  id: string
  /** Such as CHARGEBACK. */
  type: string
  status: string
  amountPaise: Paise
  reasonCode: string
  reason: string
  respondBy: Date | null
  at: Date | null
}

export function readDisputes(value: unknown): Dispute[] {
  if (!Array.isArray(value)) throw new AnswerError('answer', 'a list')
  return value.map((dispute, index) => readDispute(dispute, `disputes[${index}]`))
}

function readDispute(value: unknown, at: string): Dispute {
  const dispute = readObject(value, at)
  return {
    id: readId(dispute, 'dispute_id', at),
    type: readText(dispute, 'dispute_type', at),
    status: readText(dispute, 'dispute_status', at),
    amountPaise: readMoney(dispute, 'dispute_amount', at),
    reasonCode: readOptionalId(dispute, 'reason_code', at) ?? 'disputed',
    reason: readOptionalText(dispute, 'reason_description', at) ?? 'The payer disputed the payment.',
    respondBy: readOptionalMoment(dispute, 'respond_by', at),
    at: readOptionalMoment(dispute, 'resolved_at', at) ?? readOptionalMoment(dispute, 'updated_at', at),
  }
}

/** Reads which payment a callback about a dispute names. */
function readDisputed(value: unknown): { orderId: string | null; transactionId: string | null } {
  const order = isObject(value) ? value : {}
  return {
    orderId: readOptionalText(order, 'order_id', 'data.order_details'),
    transactionId: readOptionalId(order, 'cf_payment_id', 'data.order_details'),
  }
}
