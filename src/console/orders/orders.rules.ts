import { readableComponent } from '../../platform/names.ts'
import { canMove, isClosable, stateAt, type OrderKind, type OrderState } from '../../orders/orders.rules.ts'
import type { Payment } from '../../payments/payments.rules.ts'
import { refundableOf, type Refund } from '../../payments/refunds/refunds.rules.ts'
import { conflict } from '../../platform/errors.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import type { ConsoleRole } from '../console.rules.ts'

/** What the list of orders shows; the others belong to a plan or a loan and stand there. */
function asRead(code: string): string {
  return readableComponent(code).trim().toLowerCase()
}

/** The code of the catalogue that is meant: itself, or one that reads the same. */
export function pickFee(typed: string, known: readonly string[]): string | null {
  if (known.includes(typed)) return typed
  return known.find(code => asRead(code) === asRead(typed)) ?? null
}

export const LISTED_KINDS = ['order', 'link', 'page', 'student'] as const
type ListedKind = (typeof LISTED_KINDS)[number]

export const ORDER_KINDS = [...LISTED_KINDS, 'downpayment', 'instalment', 'loan'] as const

/** `reversed` never happens to a listed one: no bank takes back what was paid at the checkout. */
export const LIST_STATUSES = ['unpaid', 'paid', 'expired', 'cancelled'] as const

/** Roles that ask families for money and refund it. The operator looks after the installation, not after money. */
export const MONEY_HANDLERS: readonly ConsoleRole[] = ['owner', 'finance']

export type Sendable = { kind: OrderKind; state: OrderState; expiresAt: Date | null }

function isListed(kind: OrderKind): kind is ListedKind {
  return (LISTED_KINDS as readonly string[]).includes(kind)
}

/** An order that is paid at our checkout has an address there. */
export function hasCheckout(kind: OrderKind): boolean {
  return isListed(kind) || kind === 'downpayment'
}

export type Acts = { canCancel: boolean; canSend: boolean; canRefund: boolean }

export function actsOn(
  order: Sendable,
  { refundablePaise, now }: { refundablePaise: Paise; now: Date },
): Acts {
  const isOpen = canMove(stateAt(order, now), 'cancelled')
  return {
    canCancel: isOpen && isClosable(order.kind),
    canSend: isOpen && isListed(order.kind),
    canRefund: refundablePaise > 0,
  }
}

/** The link of a plan's or a loan's own is sent with the plan or loan. */
export function requireSendable(order: Sendable, now: Date): void {
  if (!isListed(order.kind)) {
    const owner = order.kind === 'loan' ? 'a loan' : 'an instalment plan'
    throw conflict(`This order belongs to ${owner} and is not sent by itself.`)
  }
  const state = stateAt(order, now)
  if (state !== 'unpaid') throw conflict(`Nobody can pay this any more: it is ${state}.`)
}

/** What can still be refunded of the payment that paid the order; zero when nothing was paid. */
export function leftToRefund(payments: readonly Payment[], refunds: readonly Refund[]): Paise {
  const paying = payments.find(payment => payment.state === 'captured' && !payment.isDuplicate)
  if (paying === undefined) return ZERO
  return refundableOf(
    paying,
    refunds.filter(refund => refund.paymentId === paying.id),
  )
}

/** How many messages about one order leave in a day: a family that was told so often has understood. */
export const MOST_MESSAGES_A_DAY = 6
