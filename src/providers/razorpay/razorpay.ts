import type { ProviderEntry, ProviderValues } from '../port.ts'
import { createRazorpay } from './razorpay.client.ts'

const KEY_ID = 'RAZORPAY_KEY_ID'
const KEY_SECRET = 'RAZORPAY_KEY_SECRET'
const WEBHOOK_SECRET = 'RAZORPAY_WEBHOOK_SECRET'

export const razorpay: ProviderEntry = {
  title: 'Razorpay',
  settings: [
    { name: KEY_ID, describes: 'takes payments through Razorpay instead of the sandbox bank' },
    { name: KEY_SECRET, describes: 'secret of that key', isSecret: true },
    {
      name: WEBHOOK_SECRET,
      describes: 'secret of the webhook at PUBLIC_URL/callbacks/razorpay',
      isSecret: true,
    },
  ],
  create: values =>
    createRazorpay({
      keyId: valueOf(values, KEY_ID),
      keySecret: valueOf(values, KEY_SECRET),
      webhookSecret: valueOf(values, WEBHOOK_SECRET),
    }),
  describe(values) {
    const [, key = null] = /^rzp_(test|live)_./.exec(valueOf(values, KEY_ID)) ?? []
    return { setting: KEY_ID, key: key as 'test' | 'live' | null }
  },
}

function valueOf(values: ProviderValues, name: string): string {
  const value = values[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}
