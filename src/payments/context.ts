import type { OrderKind } from '../orders/orders.rules.ts'
import type { Context } from '../platform/context.ts'
import type { MandatePort, MandateReport } from '../providers/mandate-port.ts'
import type { Provider, ProviderName } from '../providers/port.ts'
import type { PaymentHandler } from './payment-handler.ts'
import type { TransferPort } from '../providers/transfer-port.ts'

/** The context with the providers that money moves through; new payments go to the current one, if there is one. */
export type PaymentContext = Context & {
  readonly providers: ReadonlyMap<ProviderName, Provider>
  readonly currentProvider: ProviderName | null
  /** What follows from money that moved, by the kind of its order: see app/payment-handlers.ts. */
  readonly paymentHandlers: Readonly<Record<OrderKind, PaymentHandler>>
  /** Takes what a provider reports of a mandate. */
  readonly onMandate: (report: MandateReport) => Promise<void>
}

export function providerOf(ctx: PaymentContext, name: ProviderName): Provider {
  const provider = ctx.providers.get(name)
  if (provider === undefined) throw new Error(`the provider ${name} is not configured`)
  return provider
}

export function mandatesOf(ctx: PaymentContext, name: ProviderName): MandatePort {
  const { mandates } = providerOf(ctx, name)
  if (mandates === undefined) throw new Error(`the provider ${name} takes no mandates`)
  return mandates
}

export function transfersOf(ctx: PaymentContext, name: ProviderName): TransferPort {
  const { transfers } = providerOf(ctx, name)
  if (transfers === undefined) throw new Error(`the provider ${name} takes in no transfers`)
  return transfers
}
