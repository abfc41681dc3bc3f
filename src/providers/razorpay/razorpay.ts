import { valueOf, type ProviderEntry } from '../port.ts'
import { createRazorpay } from './razorpay.client.ts'

export const razorpay: ProviderEntry = {
  title: 'Razorpay',
  settings: [
    {
      field: 'key_id',
      env: 'RAZORPAY_KEY_ID',
      label: 'Key id',
      help: 'In the dashboard of Razorpay under Account & Settings, API keys. It begins with rzp_live_ or rzp_test_.',
      describes: 'takes payments through Razorpay instead of the sandbox bank',
    },
    {
      field: 'key_secret',
      env: 'RAZORPAY_KEY_SECRET',
      label: 'Key secret',
      help: 'Shown once, when the key is generated.',
      describes: 'secret of that key',
      isSecret: true,
    },
    {
      field: 'webhook_secret',
      env: 'RAZORPAY_WEBHOOK_SECRET',
      label: 'Webhook secret',
      help: 'Choose a long random one, and enter the same in the dashboard under Webhooks.',
      describes: 'secret of the webhook at PUBLIC_URL/callbacks/razorpay',
      isSecret: true,
    },
  ],
  apiUrlEnv: 'RAZORPAY_API_URL',
  create: (values, { apiUrl, onCall } = {}) =>
    createRazorpay({
      keyId: valueOf(values, 'key_id'),
      keySecret: valueOf(values, 'key_secret'),
      webhookSecret: valueOf(values, 'webhook_secret'),
      onCall,
      ...(apiUrl === undefined ? {} : { baseUrl: apiUrl }),
    }),
  describe(values) {
    const keyId = valueOf(values, 'key_id')
    const [, key = null] = /^rzp_(test|live)_./.exec(keyId) ?? []
    return { field: 'key_id', key: key as 'test' | 'live' | null, hint: `…${keyId.slice(-4)}` }
  },
}
