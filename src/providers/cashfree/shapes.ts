import { parseRupees, subtractPaise, ZERO, type Paise } from '../../platform/money.ts'
import {
  AnswerError,
  type Fields,
  isObject,
  parseJson,
  readList,
  readObject,
  readOptionalText,
  readText,
  type Refusal,
} from '../http.ts'

/**
 * Cashfree's JSON in our types. Habits of theirs that are allowed for: money is rupees, as a number or a text; its own
 * ids are texts in answers and numbers in some callbacks; times without a zone are India's. States are read as they come,
 * because a new one must not hide a payment: what it means is decided in reports.ts, and an unknown one stays open.
 */
export type CashfreeOrder = { orderId: string; status: string; amountPaise: Paise; sessionId: string }

export type CashfreePayment = {
  id: string
  status: string
  /** What was paid of the order: the payer may pay a fee of Cashfree's on top. */
  amountPaise: Paise
  group: string
  bankReference: string | null
  error: { code: string; message: string }
  at: Date | null
}

export type CashfreeRefund = {
  id: string
  refundId: string
  status: string
  amountPaise: Paise
  bankReference: string | null
  description: string | null
  processedAt: Date | null
}

export type Subscription = {
  subscriptionId: string
  status: string
  maxPaise: Paise | null
  sessionId: string | null
  authorisation: Authorisation
}

export type Authorisation = { status: string | null; reference: string | null; group: string | null }

/** A debit. */
export type Charge = {
  subscriptionId: string
  paymentId: string
  status: string
  isUpi: boolean
  amountPaise: Paise
  /** The number under which the payment gateway knows it; in the reconciliation it is the payment's. */
  transactionId: string | null
  failure: string
  /** How often Cashfree has tried again by itself. */
  retries: number
  /** The day on which a UPI debit is made. */
  scheduledAt: Date | null
}

export type ReconEvent = {
  id: string
  type: string
  isCredit: boolean
  /** What belongs to the account itself, without what its vendors have of it. */
  amountPaise: Paise
  settledPaise: Paise
  orderId: string | null
  refundId: string | null
  cashfreePaymentId: string | null
  /** How it was paid, and what the bank calls it. */
  group: string | null
  bankReference: string | null
  settlementId: string
  utr: string | null
  settledAt: Date
}

export type Event = { type: string; at: Date; data: Fields }

export function readOrder(value: unknown): CashfreeOrder {
  const order = readObject(value, 'order')
  requireRupees(order, 'order_currency', 'order')
  return {
    orderId: readText(order, 'order_id', 'order'),
    status: readText(order, 'order_status', 'order'),
    amountPaise: readMoney(order, 'order_amount', 'order'),
    sessionId: readSession(order, 'payment_session_id', 'order') ?? '',
  }
}

export function readPayments(value: unknown): CashfreePayment[] {
  if (!Array.isArray(value)) throw new AnswerError('answer', 'a list')
  return value.map((payment, index) => readPayment(payment, `payments[${index}]`))
}

/** The order's amount stands in the payment, in a callback beside it. */
export function readPayment(value: unknown, at = 'payment', order?: Fields): CashfreePayment {
  const payment = readObject(value, at)
  requireRupees(payment, 'payment_currency', at)
  const paidPaise = readMoney(payment, 'payment_amount', at)
  const orderPaise = readMoney({ ...order, ...payment }, 'order_amount', at)
  const error = isObject(payment['error_details']) ? payment['error_details'] : {}
  return {
    id: readId(payment, 'cf_payment_id', at),
    status: readText(payment, 'payment_status', at),
    amountPaise: paidPaise < orderPaise ? paidPaise : orderPaise,
    group: readOptionalText(payment, 'payment_group', at) ?? 'other',
    bankReference: readOptionalText(payment, 'bank_reference', at),
    error: {
      code: readOptionalText(error, 'error_code', at) ?? 'failed',
      message:
        readOptionalText(error, 'error_description', at) ??
        readOptionalText(payment, 'payment_message', at) ??
        'The payment did not go through.',
    },
    at:
      readOptionalMoment(payment, 'payment_completion_time', at) ??
      readOptionalMoment(payment, 'payment_time', at),
  }
}

/** A refund of an order, or of a debit, which says less of itself. */
export function readRefund(value: unknown, at = 'refund'): CashfreeRefund {
  const refund = readObject(value, at)
  return {
    id: readId(refund, 'cf_refund_id', at),
    refundId: readText(refund, 'refund_id', at),
    status: readText(refund, 'refund_status', at),
    amountPaise: readMoney(refund, 'refund_amount', at),
    bankReference: readOptionalText(refund, 'refund_arn', at),
    description: readOptionalText(refund, 'status_description', at),
    processedAt: readOptionalMoment(refund, 'processed_at', at),
  }
}

export function readSubscription(value: unknown, at = 'subscription'): Subscription {
  const all = readObject(value, at)
  const details = isObject(all['subscription_details']) ? all['subscription_details'] : all
  const plan = isObject(all['plan_details']) ? all['plan_details'] : {}
  return {
    subscriptionId: readText(details, 'subscription_id', at),
    status: readText(details, 'subscription_status', at),
    maxPaise: parseRupees(plan['plan_max_amount']),
    sessionId: readSession(details, 'subscription_session_id', at),
    authorisation: readAuthorisation(all, at),
  }
}

/** Spelt in two ways, by the word's two spellings. */
export function readAuthorisation(fields: Fields, at: string): Authorisation {
  const found = fields['authorisation_details'] ?? fields['authorization_details']
  const authorisation = isObject(found) ? found : {}
  return {
    status: readOptionalText(authorisation, 'authorization_status', at),
    reference: readOptionalText(authorisation, 'authorization_reference', at),
    group: readOptionalText(authorisation, 'payment_group', at),
  }
}

export function readCharge(value: unknown, at = 'payment'): Charge {
  const charge = readObject(value, at)
  const failure = isObject(charge['failure_details']) ? charge['failure_details'] : {}
  const authorisation = isObject(charge['authorization_details']) ? charge['authorization_details'] : {}
  const retries = charge['retry_attempts']
  const scheduledAt = readOptionalMoment(charge, 'payment_schedule_date', at)
  return {
    subscriptionId: readText(charge, 'subscription_id', at),
    paymentId: readText(charge, 'payment_id', at),
    status: readText(charge, 'payment_status', at),
    // Only these have a day of their own.
    isUpi: (readOptionalText(authorisation, 'payment_group', at) ?? (scheduledAt && 'upi')) === 'upi',
    amountPaise: readMoney(charge, 'payment_amount', at),
    transactionId: readOptionalId(charge, 'cf_txn_id', at) ?? readOptionalId(charge, 'cf_payment_id', at),
    failure: readOptionalText(failure, 'failure_reason', at) ?? 'The bank did not pay the debit.',
    retries: Number.isSafeInteger(retries) ? Number(retries) : 0,
    scheduledAt,
  }
}

export function readReconPage(value: unknown): { events: ReconEvent[]; cursor: string | null } {
  const page = readObject(value, 'answer')
  return {
    events: readList(page, 'data', 'answer').map((event, index) => readReconEvent(event, `data[${index}]`)),
    cursor: readOptionalText(page, 'cursor', 'answer'),
  }
}

/** Versions put the fields side by side, in groups, or in lists of one group; no name stands in two groups. */
function readReconEvent(value: unknown, at: string): ReconEvent {
  const nested = readObject(value, at)
  const groups = Object.entries(nested).flatMap(([key, group]) => {
    const one: unknown = Array.isArray(group) && group.length === 1 ? group[0] : group
    return key.endsWith('_details') && isObject(one) ? Object.entries(one) : []
  })
  const event: Fields = { ...nested, ...Object.fromEntries(groups) }
  requireRupees(event, 'event_currency', at)
  const saleType = readText(event, 'sale_type', at)
  return {
    id: readId(event, 'event_id', at),
    type: readText(event, 'event_type', at),
    isCredit: saleType === 'CREDIT',
    amountPaise: subtractPaise(readMoney(event, 'event_amount', at), readCommission(event, at)),
    settledPaise: readMoney(event, 'event_settlement_amount', at),
    orderId: readOptionalText(event, 'order_id', at),
    refundId: readOptionalText(event, 'refund_id', at),
    cashfreePaymentId: readOptionalId(event, 'cf_payment_id', at),
    group: readOptionalText(event, 'payment_group', at),
    bankReference: readOptionalText(event, 'bank_reference', at),
    settlementId: readId(event, 'cf_settlement_id', at),
    // Its name changed between versions.
    utr: readOptionalText(event, 'settlement_utr', at) ?? readOptionalText(event, 'utr', at),
    settledAt: readMoment(event, 'settlement_date', at),
  }
}

/** What of it was settled to vendors instead. */
function readCommission(event: Fields, at: string): Paise {
  return typeof event['vendor_commission'] === 'number' ? readMoney(event, 'vendor_commission', at) : ZERO
}

export function readEvent(rawBody: Buffer): Event {
  const event = readObject(parseJson(rawBody), 'event')
  return {
    type: readText(event, 'type', 'event'),
    at: readMoment(event, 'event_time', 'event'),
    data: readObject(event['data'], 'data'),
  }
}

export function readRefusal(value: unknown): Refusal | null {
  if (!isObject(value) || typeof value['message'] !== 'string' || value['message'] === '') return null
  const code = value['code']
  return {
    code: typeof code === 'string' && code !== '' ? code : null,
    description: value['message'].slice(0, 500),
  }
}

export function readMoney(fields: Fields, key: string, at: string): Paise {
  const value = fields[key]
  // What goes out is negative in some reports.
  const paise = parseRupees(typeof value === 'number' ? Math.abs(value) : value)
  if (paise === null) throw new AnswerError(`${at}.${key}`, 'rupees')
  return paise
}

function requireRupees(fields: Fields, key: string, at: string): void {
  if ((fields[key] ?? 'INR') !== 'INR') throw new AnswerError(`${at}.${key}`, 'INR')
}

export function readOptionalId(fields: Fields, key: string, at: string): string | null {
  const value = fields[key]
  return Number.isSafeInteger(value) ? String(value) : readOptionalText(fields, key, at)
}

export function readId(fields: Fields, key: string, at: string): string {
  const id = readOptionalId(fields, key, at)
  if (id === null) throw new AnswerError(`${at}.${key}`, 'an id')
  return id
}

/** It becomes part of an address and of a script. */
function readSession(fields: Fields, key: string, at: string): string | null {
  const session = readOptionalText(fields, key, at)
  if (session !== null && !/^[\w.-]{1,1000}$/.test(session))
    throw new AnswerError(`${at}.${key}`, 'a session id')
  return session
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(Z|[+-]\d\d:?\d\d)?$/

/** Null also where the text is no time: nothing that counts depends on one of these. */
export function readOptionalMoment(fields: Fields, key: string, at: string): Date | null {
  const [, day, time = '00:00', zone = '+05:30'] = TIME.exec(readOptionalText(fields, key, at) ?? '') ?? []
  const moment = new Date(`${day}T${time}${zone}`)
  return Number.isNaN(moment.getTime()) ? null : moment
}

function readMoment(fields: Fields, key: string, at: string): Date {
  const moment = readOptionalMoment(fields, key, at)
  if (moment === null) throw new AnswerError(`${at}.${key}`, 'a time')
  return moment
}
