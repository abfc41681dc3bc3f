import type { Order, OrderToPay } from '../orders/orders.rules.ts'
import type { Transaction } from '../platform/db/database.ts'
import type { Paise } from '../platform/money.ts'
import type { Payment } from './payments.rules.ts'
import type { RefundLine } from './refunds/refunds.rules.ts'

export type PaidOrder = { payment: Payment; order: Order }

/**
 * What money is for. Payments move it and know nothing of why; the feature that asked for it defines here what follows,
 * and is told once, in the transaction of the change and after it is written. Order and payment are locked already, so
 * whatever else it locks comes after them. Duplicates are not passed on: they are refunded automatically.
 */
export type PaymentHandler = {
  /** Asked before a payment of it starts. False: what it was for has changed, and it has been closed. */
  mayStart?(instituteId: number, order: OrderToPay): Promise<boolean>
  captured(tx: Transaction, paid: PaidOrder, at: Date): Promise<void>
  /** All of a settlement at once. A debit that the bank took back before it was settled is not among them. */
  settled(tx: Transaction, paid: readonly PaidOrder[], at: Date): Promise<void>
  /** May be followed by `captured`: banks change their mind, and money wins. */
  failed(tx: Transaction, failed: FailedPayment, at: Date): Promise<void>
  /** The bank took back a debit that was captured, settled or not. */
  reversed(tx: Transaction, reversed: ReversedOrder, at: Date): Promise<void>
  /** Why its payment cannot be sent back through a provider; null when it can. */
  refundRefusal?(payment: Payment): string | null
  /** Somebody asked to send it back, whole or in part, or that has failed after all. What goes back by itself is not told. */
  refunded?(tx: Transaction, refunded: RefundedOrder, at: Date): Promise<void>
}

export type FailedPayment = { payment: Payment; code: string; message: string }
type RefundedOrder = PaidOrder & { lines: readonly RefundLine[]; outcome: 'requested' | 'failed' }
/** `chargedPaise`: what of it had been refunded before, which the family owes beside it. */
export type ReversedOrder = PaidOrder & { code: string; message: string; chargedPaise: Paise }
