import type { OrderKind, Order, OrderToPay } from '../orders/orders.rules.ts'
import type { Context } from '../platform/context.ts'
import type { AccountRegistry } from '../providers/accounts/registry.service.ts'
import type {
  CreditReport,
  MandateChange,
  MandatePort,
  MandateReport,
  Provider,
  TransferPort,
  VirtualAccountPort,
} from '../providers/port.ts'
import type { Transaction } from '../platform/db/database.ts'
import type { Paise } from '../platform/money.ts'
import type { Payment } from './payments.rules.ts'
import type { RefundLine } from './refunds/refunds.rules.ts'

/** The context with the accounts that money moves through. */
export type PaymentContext = Context & {
  readonly accounts: AccountRegistry
  /** What follows from money that moved, by the kind of its order: see app/payment-handlers.ts. */
  readonly paymentHandlers: Readonly<Record<OrderKind, PaymentHandler>>
  /** Takes what a provider reports of a mandate through an account. */
  readonly onMandate: (report: MandateReport | MandateChange, accountId: string) => Promise<ReportOutcome>
  /** Takes money in that came to a student's account number. */
  readonly onCredit: (report: CreditReport, accountId: string) => Promise<ReportOutcome>
}

/** The fate of a report: `foreign` when it came through another account than the payment or mandate that it names. */
export type ReportOutcome = 'applied' | 'unknown' | 'foreign'

/** A payment or mandate, by the account that it goes through. */
type AtAccount = { instituteId: number; accountId: string }

export async function providerOf({ accounts }: PaymentContext, at: AtAccount): Promise<Provider> {
  return (await accounts.accountOf(at)).port
}

export async function mandatesOf(ctx: PaymentContext, at: AtAccount): Promise<MandatePort> {
  const { mandates } = await providerOf(ctx, at)
  if (mandates === undefined) throw new Error(`the provider account ${at.accountId} takes no mandates`)
  return mandates
}

export async function transfersOf(ctx: PaymentContext, at: AtAccount): Promise<TransferPort> {
  const { transfers } = await providerOf(ctx, at)
  if (transfers === undefined) throw new Error(`the provider account ${at.accountId} takes in no transfers`)
  return transfers
}

export async function virtualAccountsOf(ctx: PaymentContext, at: AtAccount): Promise<VirtualAccountPort> {
  const { virtualAccounts } = await providerOf(ctx, at)
  if (virtualAccounts === undefined)
    throw new Error(`the provider account ${at.accountId} gives no account numbers`)
  return virtualAccounts
}

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
