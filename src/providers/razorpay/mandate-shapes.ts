import type { Paise } from '../../platform/money.ts'
import { readObject, readOptionalText, readPageUrl, readText } from '../answer.ts'
import { readMoment, readNotes, readPaise, type Notes, type RazorpayPayment } from './shapes.ts'

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
