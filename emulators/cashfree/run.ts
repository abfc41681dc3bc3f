import { postEvents } from '../post-events.ts'
import { startCashfree } from './emulator.ts'
import { servePages } from './pages.ts'

/** Live mode takes no test keys, and these open nothing anywhere. */
const KEYS = { clientId: '1000000000000000000001', clientSecret: 'cfsk_ma_prod_emulator-secret' }

/** Serves Cashfree's API and pages, and posts its events to Bursar until they are taken. */
export async function run({ port, callbackUrl }: { port: number; callbackUrl: string }): Promise<string> {
  const { url, apiUrl, books } = await startCashfree({ port, keys: KEYS, pages: servePages })
  void postEvents(books.outbox, callbackUrl)
  return [
    `Cashfree's API and pages are at ${url}, its events go to ${callbackUrl}.`,
    'Start Bursar with:',
    `  CASHFREE_API_URL=${apiUrl}`,
    `  CASHFREE_CLIENT_ID=${KEYS.clientId}`,
    `  CASHFREE_CLIENT_SECRET=${KEYS.clientSecret}`,
    `Play the banks at ${url}/ : confirm mandates, let debits go through or bounce, pay out.`,
  ].join('\n')
}
