import { cashfree } from './cashfree/cashfree.ts'
import type { ProviderEntry } from './port.ts'
import { razorpay } from './razorpay/razorpay.ts'

/** The real providers, the preferred one first. A new one is a folder beside this file and a line here. */
export const PROVIDERS: Readonly<Record<string, ProviderEntry>> = { razorpay, cashfree }
