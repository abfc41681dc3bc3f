import { canMove, stateAt, type OrderKind, type OrderState } from '../../orders/orders.rules.ts'
import { refundableOf, type Payment, type Refund } from '../../payments/payments.rules.ts'
import { conflict } from '../../platform/errors.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import type { ConsoleRole } from '../console.rules.ts'

/** What the list of orders shows; the others belong to a plan or a loan and stand there. */
export const LISTED_KINDS = ['order', 'link', 'page', 'student'] as const
export type ListedKind = (typeof LISTED_KINDS)[number]

export const ORDER_KINDS = [...LISTED_KINDS, 'downpayment', 'instalment', 'loan'] as const

/** `reversed` never happens to a listed one: no bank takes back what was paid at the checkout. */
export const LIST_STATUSES = ['unpaid', 'paid', 'expired', 'cancelled'] as const
export type ListStatus = (typeof LIST_STATUSES)[number]

/** Whoever asks families for money and gives it back. The operator looks after the installation, not after money. */
export const MONEY_HANDLERS: readonly ConsoleRole[] = ['owner', 'finance']

export type Sendable = { kind: OrderKind; state: OrderState; expiresAt: Date | null }

function isListed(kind: OrderKind): kind is ListedKind {
  return (LISTED_KINDS as readonly string[]).includes(kind)
}

/** Those that a payer pays at our checkout have an address there. */
export function hasCheckout(kind: OrderKind): boolean {
  return isListed(kind) || kind === 'downpayment'
}

export type Acts = { canCancel: boolean; canSend: boolean; canRefund: boolean }

export function actsOn(order: Sendable, { refundable, now }: { refundable: number; now: Date }): Acts {
  const isOpen = isListed(order.kind) && canMove(stateAt(order, now), 'cancelled')
  return { canCancel: isOpen, canSend: isOpen, canRefund: isListed(order.kind) && refundable > 0 }
}

/** A plan's and a loan's own orders are changed where the plan or loan is. */
export function requireListed(kind: OrderKind): ListedKind {
  if (isListed(kind)) return kind
  const owner = kind === 'loan' ? 'a loan' : 'an instalment plan'
  throw conflict(`This order belongs to ${owner} and cannot be changed by itself.`)
}

export function requireOpen(order: Sendable, now: Date): void {
  const state = stateAt(order, now)
  if (state !== 'unpaid') throw conflict(`Nobody can pay this any more: it is ${state}.`)
}

/** Of the payment that paid it; nothing when nothing was paid. */
export function leftToRefund(payments: readonly Payment[], refunds: readonly Refund[]): Paise {
  const paying = payments.find(payment => payment.state === 'captured' && !payment.isDuplicate)
  if (paying === undefined) return ZERO
  return refundableOf(
    paying,
    refunds.filter(refund => refund.paymentId === paying.id),
  )
}

/** What was typed into the search field: an id, or words of which any group may fit. */
export type OrderSearch = { kind: 'id'; id: string } | { kind: 'words'; anyOf: string[][] }

const MOST_WORDS = 8
const PHONE_DIGITS = 10

/** Names by the beginnings of their words, identifiers, phones however they are written. */
export function readSearch(text: string): OrderSearch | null {
  const plain = text.trim()
  if (/^order_[a-z0-9]+$/.test(plain)) return { kind: 'id', id: plain }
  const words = plain.split(/\s+/).filter(word => word !== '')
  if (words.length === 0) return null
  const anyOf = [words.slice(0, MOST_WORDS)]
  const digits = plain.replaceAll(/\D/g, '')
  if (digits !== '' && /^[+\d][\d\s().-]*$/.test(plain)) {
    anyOf.push([digits])
    if (digits.length > PHONE_DIGITS) anyOf.push([digits.slice(-PHONE_DIGITS)])
  }
  return { kind: 'words', anyOf }
}

/** How many messages about one order leave in a day: a family that was told so often has understood. */
export const MOST_MESSAGES_A_DAY = 6
