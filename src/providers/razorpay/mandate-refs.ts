import type { RazorpayPayment } from './shapes.ts'

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
