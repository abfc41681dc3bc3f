import type { OrderKind } from '../orders/orders.rules.ts'
import { assert } from '../platform/assert.ts'
import type { Context } from '../platform/context.ts'
import type { MandatePort, MandateReport } from '../providers/mandate-port.ts'
import type { Provider, ProviderName } from '../providers/port.ts'
import type { PaymentHandler } from './payment-handler.ts'
import type { TransferPort } from '../providers/transfer-port.ts'

/** The context with the providers that money moves through; new payments go to the current one, if there is one. */
export type PaymentContext = Context & {
  providers: ReadonlyMap<ProviderName, Provider>
  currentProvider: ProviderName | null
  /** What money is for, by the kind of its order. Features above register their own when the process opens. */
  paymentHandlers: Map<OrderKind, PaymentHandler>
  /** Who is told of mandates. */
  onMandate: (report: MandateReport) => Promise<void>
}

export function providerOf(ctx: PaymentContext, name: ProviderName): Provider {
  const provider = ctx.providers.get(name)
  if (provider === undefined) throw new Error(`the provider ${name} is not configured`)
  return provider
}

/** What the money of an order is for; a kind that nobody registered is our bug. */
export function handlerOf(ctx: PaymentContext, kind: OrderKind): PaymentHandler {
  const handler = ctx.paymentHandlers.get(kind)
  assert(handler !== undefined, `nobody knows what a payment of kind ${kind} is for`)
  return handler
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
