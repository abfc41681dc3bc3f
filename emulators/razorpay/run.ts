import { postEvents } from '../post-events.ts'
import { startRazorpay } from './emulator.ts'
import { servePages } from './pages.ts'

/** Live mode takes no test keys, and these open nothing anywhere. */
const KEYS = {
  keyId: 'rzp_live_Emulator000001',
  keySecret: 'emulator-key-secret',
  webhookSecret: 'emulator-webhook-secret',
}

/** Serves Razorpay's API and pages, and posts its events to Bursar until they are taken. */
export async function run({ port, callbackUrl }: { port: number; callbackUrl: string }): Promise<string> {
  const { url, books } = await startRazorpay({ port, keys: KEYS, now: () => new Date(), pages: servePages })
  void postEvents(books.outbox, callbackUrl)
  return [
    `Razorpay's API and pages are at ${url}, its events go to ${callbackUrl}.`,
    'Start Bursar with:',
    `  RAZORPAY_API_URL=${url}`,
    `  RAZORPAY_KEY_ID=${KEYS.keyId}`,
    `  RAZORPAY_KEY_SECRET=${KEYS.keySecret}`,
    `  RAZORPAY_WEBHOOK_SECRET=${KEYS.webhookSecret}`,
    `Play the banks at ${url}/ : confirm mandates, let debits go through or bounce, pay out.`,
  ].join('\n')
}
