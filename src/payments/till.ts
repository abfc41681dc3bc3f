import type { Ground } from '../platform/ground.ts'
import type { Provider, ProviderName } from './provider.ts'

/** The ground with the providers that money moves through; new payments go to the current one, if there is one. */
export type Till = Ground & {
  providers: ReadonlyMap<ProviderName, Provider>
  currentProvider: ProviderName | null
}

export function providerOf(till: Till, name: ProviderName): Provider {
  const provider = till.providers.get(name)
  if (provider === undefined) throw new Error(`the provider ${name} is not configured`)
  return provider
}
