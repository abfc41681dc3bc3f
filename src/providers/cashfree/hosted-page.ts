import type { HostedPage } from '../port.ts'
import type { Connection } from './connection.ts'

type Checkout = { kind: 'payment' | 'mandate'; session: string; returnUrl: string }

/** Where the payer goes: a page of ours that runs Cashfree's script, or an emulator's own page. */
export function checkoutUrl(
  { emulatorUrl, environment }: Connection,
  { kind, session, returnUrl }: Checkout,
): string {
  const path = `${kind}/${encodeURIComponent(session)}`
  return emulatorUrl === null
    ? new URL(`/hosted/cashfree/${environment}/${path}`, returnUrl).href
    : new URL(`/checkout/${path}`, emulatorUrl).href
}

/** The checkout of an order and that of a subscription. What fails, the library's own download too, is told on the page. */
const SCRIPT = `'use strict'
const open = async () => {
  const [, , , mode, kind, session] = location.pathname.split('/').map(decodeURIComponent)
  const cashfree = Cashfree({ mode })
  const result =
    kind === 'mandate'
      ? await cashfree.subscriptionsCheckout({ subsSessionId: session, redirectTarget: '_self' })
      : await cashfree.checkout({ paymentSessionId: session, redirectTarget: '_self' })
  if (result && result.error) throw result.error
}
open().catch(() => {
  document.getElementById('opening').hidden = true
  document.getElementById('failed').hidden = false
})
`

export const hostedPage: HostedPage = {
  libraryUrl: 'https://sdk.cashfree.com/js/v3/cashfree.js',
  origins: ['https://sdk.cashfree.com', 'https://*.cashfree.com'],
  script: SCRIPT,
  path: /^(sandbox|production)\/(payment|mandate)\/[\w.-]{1,1000}$/,
}
