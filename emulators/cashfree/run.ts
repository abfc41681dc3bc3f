import { type Account, describeAccounts, type RunOptions, serveAccounts } from '../accounts.ts'
import { startCashfree } from './emulator.ts'
import { servePages } from './pages.ts'

/** Keys that open nothing anywhere. */
const ACCOUNTS = [
  { name: 'live 1', clientId: '1000000000000000000001', clientSecret: 'cfsk_ma_prod_emulator-secret-1' },
  { name: 'live 2', clientId: '1000000000000000000002', clientSecret: 'cfsk_ma_prod_emulator-secret-2' },
  { name: 'test 1', clientId: 'TEST10000000000000000001', clientSecret: 'cfsk_ma_test_emulator-secret-1' },
  { name: 'test 2', clientId: 'TEST10000000000000000002', clientSecret: 'cfsk_ma_test_emulator-secret-2' },
]

/** Serves Cashfree's API and pages, and posts its events to Bursar until they are taken. */
export async function run({ port, callbackUrl, clock }: RunOptions): Promise<string> {
  const accounts: Account[] = []
  for (const { name, ...keys } of ACCOUNTS) {
    const { url, books } = await startCashfree({ keys, clock, pages: servePages })
    const settings = { CASHFREE_CLIENT_ID: keys.clientId, CASHFREE_CLIENT_SECRET: keys.clientSecret }
    const owns: Account['owns'] = headers => headers['x-client-id'] === keys.clientId
    accounts.push({ name, settings, url, outbox: books.outbox, owns })
  }
  const server = await serveAccounts({ vendor: 'Cashfree', port, callbackUrl, accounts })
  const apiUrl = `CASHFREE_API_URL=${server.url}/pg`
  return describeAccounts('Cashfree', server, { apiUrl, accounts, callbackUrl })
}
