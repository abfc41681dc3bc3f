import { type Account, describeAccounts, type RunOptions, serveAccounts } from '../accounts.ts'
import type { Books } from './books.ts'
import { startRazorpay } from './emulator.ts'
import { servePages } from './pages.ts'

/** Keys that open nothing anywhere. */
const ACCOUNTS = ['live 1', 'live 2', 'test 1', 'test 2'].map(name => {
  const [kind = '', number = ''] = name.split(' ')
  return {
    name,
    keyId: `rzp_${kind}_Emulator00000${number}`,
    keySecret: `emulator-key-secret-${kind}-${number}`,
    webhookSecret: `emulator-webhook-secret-${kind}-${number}`,
  }
})

/** Serves Razorpay's API and pages, and posts its events to Bursar until they are taken. */
export async function run({ port, callbackUrl, clock }: RunOptions): Promise<string> {
  const accounts: Account[] = []
  const all: Books[] = []
  for (const { name, ...keys } of ACCOUNTS) {
    const { url, books } = await startRazorpay({ keys, clock, pages: servePages })
    const settings = {
      RAZORPAY_KEY_ID: keys.keyId,
      RAZORPAY_KEY_SECRET: keys.keySecret,
      RAZORPAY_WEBHOOK_SECRET: keys.webhookSecret,
    }
    const owns: Account['owns'] = ({ authorization = '' }) =>
      Buffer.from(authorization.slice('Basic '.length), 'base64').toString().startsWith(`${keys.keyId}:`)
    accounts.push({ name, settings, url, outbox: books.outbox, owns })
    all.push(books)
  }
  const server = await serveAccounts({ vendor: 'Razorpay', port, callbackUrl, accounts })
  for (const books of all) books.pages = server.url
  const apiUrl = `RAZORPAY_API_URL=${server.url}`
  return describeAccounts('Razorpay', server, { apiUrl, accounts, callbackUrl })
}
