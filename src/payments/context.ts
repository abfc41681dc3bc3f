import type { OrderKind } from '../orders/orders.rules.ts'
import type { Context } from '../platform/context.ts'
import type { AccountRegistry } from '../providers/accounts/registry.service.ts'
import type { MandateChange, MandatePort, MandateReport, Provider, TransferPort } from '../providers/port.ts'
import type { PaymentHandler } from './payment-handler.ts'

/** The context with the accounts that money moves through. */
export type PaymentContext = Context & {
  readonly accounts: AccountRegistry
  /** What follows from money that moved, by the kind of its order: see app/payment-handlers.ts. */
  readonly paymentHandlers: Readonly<Record<OrderKind, PaymentHandler>>
  /** Takes what a provider reports of a mandate through an account. */
  readonly onMandate: (report: MandateReport | MandateChange, accountId: string) => Promise<ReportOutcome>
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
