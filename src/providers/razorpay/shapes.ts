import { type Paise, paiseOf } from '../../platform/money.ts'
import {
  AnswerError,
  type Fields,
  isObject,
  parseJson,
  readBoolean,
  readList,
  readObject,
  readOneOf,
  readOptionalList,
  readOptionalText,
  readPageUrl,
  readText,
  type Refusal,
} from '../http.ts'

/**
 * Razorpay's JSON in our types. Two habits of theirs are allowed for: empty notes (and other empty objects) come as
 * `[]`, and a link without payments has `payments: null`.
 */
export type Link = {
  id: string
  /** Our payment id; empty on links that somebody made by hand. */
  referenceId: string
  status: LinkStatus
  amountPaise: Paise
  shortUrl: string
  notes: Notes
  payments: readonly { paymentId: string; status: string }[]
}
export type LinkStatus = (typeof LINK_STATUSES)[number]

export type RazorpayPayment = {
  id: string
  status: (typeof PAYMENT_STATUSES)[number]
  amountPaise: Paise
  /** Razorpay's fee, tax included; null before capture. */
  feePaise: Paise | null
  method: string
  orderId: string | null
  /** Set for a debit under a mandate, and for the payment that registers one. */
  tokenId: string | null
  customerId: string | null
  notes: Notes
  /** The bank's number for it, once there is one. */
  bankReference: string | null
  error: { code: string; message: string }
  createdAt: Date
}

export type RazorpayRefund = {
  id: string
  status: (typeof REFUND_STATUSES)[number]
  amountPaise: Paise
  receipt: string | null
  notes: Notes
  bankReference: string | null
  createdAt: Date
}

export type ReconItem = {
  type: string
  entityId: string
  amountPaise: Paise
  creditPaise: Paise
  debitPaise: Paise
  isSettled: boolean
  settledAt: Date
  settlementId: string
  settlementUtr: string | null
  orderReceipt: string | null
  orderId: string | null
  /** What an adjustment is about. */
  paymentId: string | null
  disputeId: string | null
  notes: Notes
}

export type Event = {
  name: string
  createdAt: Date
  has(kind: string): boolean
  entity(kind: string): unknown
}

/** What we wrote on a link, refund, order or mandate when we made it. */
type Notes = {
  instituteId: number | null
  paymentId: string | null
  refundId: string | null
  mandateId: string | null
  virtualAccountId: string | null
}

const LINK_STATUSES = ['created', 'partially_paid', 'paid', 'expired', 'cancelled'] as const
const PAYMENT_STATUSES = ['created', 'authorized', 'captured', 'refunded', 'failed'] as const
const REFUND_STATUSES = ['pending', 'processed', 'failed'] as const
const PAYMENT_REFERENCES = ['rrn', 'bank_transaction_id', 'utr', 'upi_transaction_id', 'auth_code']
const REFUND_REFERENCES = ['arn', 'rrn', 'utr']

export function readLink(value: unknown, at = 'payment_link'): Link {
  const link = readObject(value, at)
  requireRupees(link, at)
  return {
    id: readText(link, 'id', at),
    referenceId: readOptionalText(link, 'reference_id', at) ?? '',
    status: readOneOf(link, 'status', LINK_STATUSES, at),
    amountPaise: readPaise(link, 'amount', at),
    shortUrl: readPageUrl(link, 'short_url', at),
    notes: readNotes(link['notes']),
    payments: readOptionalList(link, 'payments', at).map((entry, index) => {
      const place = `${at}.payments[${index}]`
      const payment = readObject(entry, place)
      return { paymentId: readText(payment, 'payment_id', place), status: readText(payment, 'status', place) }
    }),
  }
}

/** This list alone is not under `items`. */
export function readLinks(value: unknown): Link[] {
  const answer = readObject(value, 'answer')
  return readList(answer, 'payment_links', 'answer').map((link, index) =>
    readLink(link, `payment_links[${index}]`),
  )
}

export function readPayment(value: unknown, at = 'payment'): RazorpayPayment {
  const payment = readObject(value, at)
  requireRupees(payment, at)
  return {
    id: readText(payment, 'id', at),
    status: readOneOf(payment, 'status', PAYMENT_STATUSES, at),
    amountPaise: readPaise(payment, 'amount', at),
    feePaise: typeof payment['fee'] === 'number' ? readPaise(payment, 'fee', at) : null,
    method: readText(payment, 'method', at),
    orderId: readOptionalText(payment, 'order_id', at),
    tokenId: readOptionalText(payment, 'token_id', at),
    customerId: readOptionalText(payment, 'customer_id', at),
    notes: readNotes(payment['notes']),
    bankReference: readBankReference(payment['acquirer_data'], PAYMENT_REFERENCES),
    error: {
      code:
        readOptionalText(payment, 'error_reason', at) ??
        readOptionalText(payment, 'error_code', at) ??
        'failed',
      message: readOptionalText(payment, 'error_description', at) ?? 'The payment did not go through.',
    },
    createdAt: readMoment(payment, 'created_at', at),
  }
}

export function readRefund(value: unknown, at = 'refund'): RazorpayRefund {
  const refund = readObject(value, at)
  requireRupees(refund, at)
  return {
    id: readText(refund, 'id', at),
    status: readOneOf(refund, 'status', REFUND_STATUSES, at),
    amountPaise: readPaise(refund, 'amount', at),
    receipt: readOptionalText(refund, 'receipt', at),
    notes: readNotes(refund['notes']),
    bankReference: readBankReference(refund['acquirer_data'], REFUND_REFERENCES),
    createdAt: readMoment(refund, 'created_at', at),
  }
}

export function readItems<T>(value: unknown, readItem: (item: unknown, at: string) => T): T[] {
  const answer = readObject(value, 'answer')
  return readList(answer, 'items', 'answer').map((item, index) => readItem(item, `items[${index}]`))
}

export function readReconItem(value: unknown, at: string): ReconItem {
  const item = readObject(value, at)
  const isSettled = readBoolean(item, 'settled', at)
  return {
    type: readText(item, 'type', at),
    entityId: readText(item, 'entity_id', at),
    amountPaise: readPaise(item, 'amount', at),
    creditPaise: readPaise(item, 'credit', at),
    debitPaise: readPaise(item, 'debit', at),
    isSettled,
    settledAt: isSettled ? readMoment(item, 'settled_at', at) : new Date(0),
    settlementId: isSettled ? readText(item, 'settlement_id', at) : '',
    settlementUtr: readOptionalText(item, 'settlement_utr', at),
    orderReceipt: readOptionalText(item, 'order_receipt', at),
    orderId: readOptionalText(item, 'order_id', at),
    paymentId: readOptionalText(item, 'payment_id', at),
    disputeId: readOptionalText(item, 'dispute_id', at),
    notes: readNotes(item['notes']),
  }
}

export function readEvent(rawBody: Buffer): Event {
  const event = readObject(parseJson(rawBody), 'event')
  return {
    name: readText(event, 'event', 'event'),
    createdAt: readMoment(event, 'created_at', 'event'),
    has: kind => isObject(event['payload']) && isObject(event['payload'][kind]),
    entity(kind) {
      const payload = readObject(event['payload'], 'payload')
      return readObject(payload[kind], `payload.${kind}`)['entity']
    },
  }
}

/** What a refusal says; null when the answer is not one of theirs (a proxy's page, say). */
export function readRefusal(value: unknown): Refusal | null {
  const error = isObject(value) ? value['error'] : null
  if (!isObject(error) || typeof error['description'] !== 'string' || error['description'] === '') return null
  // The code is the same for nearly everything; the reason tells apart, where there is one.
  const code = [error['reason'], error['code']].find(one => typeof one === 'string' && one !== 'NA')
  return {
    code: typeof code === 'string' ? code : null,
    description: error['description'].slice(0, 500),
  }
}

export function readPaise(fields: Fields, key: string, at: string): Paise {
  const value = fields[key]
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new AnswerError(`${at}.${key}`, 'a whole number of paise')
  }
  return paiseOf(value)
}

function requireRupees(fields: Fields, at: string): void {
  if (fields['currency'] !== 'INR') throw new AnswerError(`${at}.currency`, 'INR')
}

const LATEST_UNIX_S = Date.UTC(9999, 11, 31) / 1_000

export function readMoment(fields: Fields, key: string, at: string): Date {
  const value = fields[key]
  if (typeof value !== 'number' || !Number.isInteger(value) || value <= 0 || value > LATEST_UNIX_S) {
    throw new AnswerError(`${at}.${key}`, 'a Unix time in seconds')
  }
  return new Date(value * 1_000)
}

/** Whether an entity carries our notes. */
export function isOurs(value: unknown): boolean {
  return isObject(value) && readNotes(value['notes']).instituteId !== null
}

/** Anybody with the dashboard may write notes, so ones that are not in our form are nobody's, not an error. */
export function readNotes(value: unknown): Notes {
  const notes = isObject(value) ? value : {}
  const textAt = (key: string): string | null => {
    const note = notes[key]
    return typeof note === 'string' && note !== '' ? note : null
  }
  const institute = textAt('institute_id') ?? ''
  return {
    instituteId: /^[1-9]\d{0,8}$/.test(institute) ? Number(institute) : null,
    paymentId: textAt('payment_id'),
    refundId: textAt('refund_id'),
    mandateId: textAt('mandate_id'),
    virtualAccountId: textAt('virtual_account_id'),
  }
}

function readBankReference(value: unknown, keys: readonly string[]): string | null {
  const data = isObject(value) ? value : {}
  const found = keys.map(key => data[key]).find(item => typeof item === 'string' && item !== '')
  return typeof found === 'string' ? found : null
}

/** What Razorpay says of mandates and of debits under them. */

/** A registration link: an invoice that the payer pays by authorising a mandate. */
export type Registration = {
  id: string
  /** Our mandate id. */
  receipt: string | null
  status: string
  orderId: string
  shortUrl: string
  notes: Notes
}

/** A mandate that a payer has authorised. */
export type Token = {
  id: string
  method: string
  status: string
  failureReason: string | null
  /** The bank's number for the mandate, where the bank gave one. */
  umrn: string | null
  upiAddress: string | null
}

export type Order = { id: string; amountPaise: Paise; receipt: string | null; notes: Notes }

export type Dispute = {
  id: string
  paymentId: string
  amountPaise: Paise
  deductedPaise: Paise
  reason: string
  phase: string
  status: string
  respondBy: Date | null
  createdAt: Date
}

export function readRegistration(value: unknown, at = 'invoice'): Registration {
  const invoice = readObject(value, at)
  return {
    id: readText(invoice, 'id', at),
    receipt: readOptionalText(invoice, 'receipt', at),
    status: readText(invoice, 'status', at),
    orderId: readText(invoice, 'order_id', at),
    shortUrl: readPageUrl(invoice, 'short_url', at),
    notes: readNotes(invoice['notes']),
  }
}

export function readToken(value: unknown, at = 'token'): Token {
  const token = readObject(value, at)
  const details = readObject(token['recurring_details'], `${at}.recurring_details`)
  const mrn = readOptionalText(token, 'mrn', at)
  return {
    id: readText(token, 'id', at),
    method: readText(token, 'method', at),
    status: readText(details, 'status', `${at}.recurring_details`),
    failureReason: readOptionalText(details, 'failure_reason', `${at}.recurring_details`),
    // It may be a gateway's own number too; a UMRN has 20 characters.
    umrn: mrn !== null && /^[A-Z0-9]{20}$/i.test(mrn) ? mrn.toUpperCase() : null,
    upiAddress: readAddress(token['vpa'], `${at}.vpa`),
  }
}

function readAddress(value: unknown, at: string): string | null {
  if (value === null || value === undefined || Array.isArray(value)) return null
  const vpa = readObject(value, at)
  const [username, handle] = [readOptionalText(vpa, 'username', at), readOptionalText(vpa, 'handle', at)]
  return username === null || handle === null ? null : `${username}@${handle}`
}

export function readOrder(value: unknown, at = 'order'): Order {
  const order = readObject(value, at)
  return {
    id: readText(order, 'id', at),
    amountPaise: readPaise(order, 'amount', at),
    receipt: readOptionalText(order, 'receipt', at),
    notes: readNotes(order['notes']),
  }
}

/** A charge answers with the ids alone; what becomes of it is told later. */
export function readCharge(value: unknown): { paymentId: string } {
  return { paymentId: readText(readObject(value, 'answer'), 'razorpay_payment_id', 'answer') }
}

export function readDispute(value: unknown, at = 'dispute'): Dispute {
  const dispute = readObject(value, at)
  return {
    id: readText(dispute, 'id', at),
    paymentId: readText(dispute, 'payment_id', at),
    amountPaise: readPaise(dispute, 'amount', at),
    deductedPaise: readPaise(dispute, 'amount_deducted', at),
    reason: readText(dispute, 'reason_code', at),
    phase: readText(dispute, 'phase', at),
    status: readText(dispute, 'status', at),
    respondBy: Number(dispute['respond_by'] ?? 0) > 0 ? readMoment(dispute, 'respond_by', at) : null,
    createdAt: readMoment(dispute, 'created_at', at),
  }
}

/**
 * Our name for an authorised mandate at Razorpay: the token, and the customer without whom it can be neither read nor
 * debited. Events name the token alone, so it comes first.
 */
export type TokenRef = { tokenId: string; customerId: string }

export function mandateRefOf({ tokenId, customerId }: TokenRef): string {
  return `${tokenId}/${customerId}`
}

export function parseMandateRef(ref: string): TokenRef | null {
  const [, tokenId, customerId] = /^(token_[^/]+)\/(cust_[^/]+)$/.exec(ref) ?? []
  return tokenId === undefined || customerId === undefined ? null : { tokenId, customerId }
}

/** A payment on a registration link says yes by being paid, or, on UPI, by failing as a dummy. */
const DUMMY = 'upi_dummy_payment'

export function registeredBy(payment: RazorpayPayment): TokenRef | null {
  const { tokenId, customerId, status } = payment
  const isYes = status === 'failed' ? payment.error.code === DUMMY : status !== 'created'
  return isYes && tokenId !== null && customerId !== null ? { tokenId, customerId } : null
}
