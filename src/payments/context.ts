import type { OrderKind } from '../orders/orders.rules.ts'
import { assert } from '../platform/assert.ts'
import type { Ground } from '../platform/context.ts'
import type { MandatePort, MandateReport } from '../providers/mandate-port.ts'
import type { Provider, ProviderName } from '../providers/port.ts'
import type { Purpose } from './payment-handler.ts'
import type { TransferPort } from '../providers/transfer-port.ts'

/** The ground with the providers that money moves through; new payments go to the current one, if there is one. */
export type Till = Ground & {
  providers: ReadonlyMap<ProviderName, Provider>
  currentProvider: ProviderName | null
  /** What money is for, by the kind of its order. Features above register their own when the house opens. */
  purposes: Map<OrderKind, Purpose>
  /** Who is told of mandates. */
  onMandate: (report: MandateReport) => Promise<void>
}

export function providerOf(till: Till, name: ProviderName): Provider {
  const provider = till.providers.get(name)
  if (provider === undefined) throw new Error(`the provider ${name} is not configured`)
  return provider
}

/** What the money of an order is for; a kind that nobody registered is our bug. */
export function purposeOf(till: Till, kind: OrderKind): Purpose {
  const purpose = till.purposes.get(kind)
  assert(purpose !== undefined, `nobody knows what a payment of kind ${kind} is for`)
  return purpose
}

export function mandatesOf(till: Till, name: ProviderName): MandatePort {
  const { mandates } = providerOf(till, name)
  if (mandates === undefined) throw new Error(`the provider ${name} takes no mandates`)
  return mandates
}

export function transfersOf(till: Till, name: ProviderName): TransferPort {
  const { transfers } = providerOf(till, name)
  if (transfers === undefined) throw new Error(`the provider ${name} takes in no transfers`)
  return transfers
}
