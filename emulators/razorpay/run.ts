import { setTimeout } from 'node:timers/promises'
import type { SignedEvent } from './books.ts'
import { startRazorpay } from './emulator.ts'
import { servePages } from './pages.ts'

/** Live mode takes no test keys, and these open nothing anywhere. */
const KEYS = {
  keyId: 'rzp_live_Emulator000001',
  keySecret: 'emulator-key-secret',
  webhookSecret: 'emulator-webhook-secret',
}
const EVERY_MS = 500
const TRIES = 20

/** Serves Razorpay's API and pages, and posts its events to Bursar until they are taken. */
export async function run({ port, callbackUrl }: { port: number; callbackUrl: string }): Promise<string> {
  const { url, books } = await startRazorpay({ port, keys: KEYS, now: () => new Date(), pages: servePages })
  void post(books.outbox, callbackUrl)
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

/** In order, each again and again until it is answered with 2xx, as Razorpay does for a day. */
async function post(outbox: SignedEvent[], callbackUrl: string): Promise<never> {
  let tries = 0
  for (;;) {
    const [event] = outbox
    const isTaken = event !== undefined && (await isAccepted(event, callbackUrl))
    if (event !== undefined && (isTaken || ++tries >= TRIES)) {
      outbox.shift()
      tries = 0
    }
    if (!isTaken) await setTimeout(EVERY_MS)
  }
}

async function isAccepted({ rawBody, headers }: SignedEvent, callbackUrl: string): Promise<boolean> {
  const request = {
    method: 'POST',
    body: new Uint8Array(rawBody),
    headers: { ...headers, 'content-type': 'application/json' },
  }
  return fetch(callbackUrl, request).then(
    ({ ok }) => ok,
    () => false,
  )
}
