import { valueOf, type KeyKind, type ProviderEntry } from '../port.ts'
import { createCashfree } from './cashfree.client.ts'
import { hostedPage } from './hosted-page.ts'

export const cashfree: ProviderEntry = {
  title: 'Cashfree',
  settings: [
    {
      field: 'client_id',
      env: 'CASHFREE_CLIENT_ID',
      label: 'App id',
      help: 'In the merchant dashboard under Payment Gateway, Developers, API keys. Those of the test environment begin with TEST.',
      describes: 'takes payments and mandates through Cashfree instead of the sandbox bank',
    },
    {
      field: 'client_secret',
      env: 'CASHFREE_CLIENT_SECRET',
      label: 'Secret key',
      help: 'Beside the app id. Cashfree signs its webhooks with it, so there is no other secret to enter.',
      describes:
        'secret of that app id; Cashfree signs its callbacks to PUBLIC_URL/callbacks/cashfree with it',
      isSecret: true,
    },
  ],
  apiUrlEnv: 'CASHFREE_API_URL',
  hostedPage,
  create(values, { apiUrl, now, onCall } = {}) {
    const clientId = valueOf(values, 'client_id')
    const clientSecret = valueOf(values, 'client_secret')
    return createCashfree({
      clientId,
      clientSecret,
      onCall,
      environment: keyKindOf(clientId, clientSecret) === 'live' ? 'production' : 'sandbox',
      ...(apiUrl === undefined ? {} : { baseUrl: apiUrl }),
      ...(now === undefined ? {} : { now }),
    })
  },
  describe(values) {
    const clientId = valueOf(values, 'client_id')
    const key = keyKindOf(clientId, valueOf(values, 'client_secret'))
    return { field: 'client_id', key, hint: `…${clientId.slice(-4)}` }
  },
}

/** Newer secrets say which money they move, and so do the app ids of the test environment; old live ones say nothing. */
function keyKindOf(clientId: string, clientSecret: string): KeyKind | null {
  const [, environment] = /^cfsk_[a-z]+_(test|prod)_./.exec(clientSecret) ?? []
  if (environment === 'test' || clientId.startsWith('TEST')) return 'test'
  return environment === 'prod' || /^[0-9a-zA-Z]{16,}$/.test(clientId) ? 'live' : null
}
