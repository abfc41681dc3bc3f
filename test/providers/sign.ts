import { createHmac } from 'node:crypto'
import { KEYS as CASHFREE_KEYS } from '../../emulators/cashfree/books.ts'
import { KEYS as RAZORPAY_KEYS } from '../../emulators/razorpay/books.ts'
import type { Callback } from '../../src/providers/port.ts'
import type { GatewayName } from '../sim/gateways.ts'

/** As the provider would sign it, if somebody changed what it names: notes are whatever its dashboard says. */
export const SIGN: Record<
  GatewayName,
  (rawBody: string, headers: Callback['headers']) => Record<string, string>
> = {
  razorpay: rawBody => ({
    'x-razorpay-signature': createHmac('sha256', RAZORPAY_KEYS.webhookSecret).update(rawBody).digest('hex'),
  }),
  cashfree: (rawBody, headers) => {
    const timestamp = String(headers['x-webhook-timestamp'])
    const hmac = createHmac('sha256', CASHFREE_KEYS.clientSecret).update(timestamp).update(rawBody)
    return { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': hmac.digest('base64') }
  },
}
