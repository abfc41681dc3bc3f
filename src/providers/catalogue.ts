import { cashfree } from './cashfree/cashfree.client.ts'
import type { ProviderEntry } from './entry.ts'
import { razorpay } from './razorpay/razorpay.client.ts'

const ENTRIES: Record<string, ProviderEntry> = { razorpay, cashfree }

/**
 * The real providers, the preferred one first. A new one is a folder beside this file and a line above. Without a prototype,
 * because names come from requests too, and `toString` is no provider.
 */
export const PROVIDERS: Readonly<typeof ENTRIES> = Object.assign(
  Object.create(null) as typeof ENTRIES,
  ENTRIES,
)

/** What takes money and is in no catalogue. */
const OTHERS = new Map([
  ['sandbox', 'Sandbox bank'],
  ['setu', 'Bharat Connect (Setu)'],
  ['bharat-connect', 'Bharat Connect'],
])

/** The name that people know. The sandbox's bank is in no catalogue, and a removed provider has only its own name left. */
export function providerTitle(name: string): string {
  return PROVIDERS[name]?.title ?? OTHERS.get(name) ?? name
}

/** The one that examples in documents and help name. */
export const EXAMPLE = { name: 'razorpay', title: razorpay.title }
