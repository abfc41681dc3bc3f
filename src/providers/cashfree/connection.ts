import { createHash, randomUUID } from 'node:crypto'
import type { Call } from '../http.ts'
import type { HostedPage } from '../entry.ts'
import { ProviderRefused, type Rail } from '../port.ts'

/** What all calls of a client share. */
export type Connection = {
  begin: () => Call
  now: () => Date
  environment: 'sandbox' | 'production'
  /** Where an emulator's own checkout is; null at Cashfree. */
  emulatorUrl: string | null
}

/** The key of an id is the same in every repetition; Cashfree asks for the form of a UUID. */
export function repeatable(id: string): Record<string, string> {
  const hash = createHash('sha256').update(id).digest('hex')
  const groups = /^(.{8})(.{4})(.{3})(.{3})(.{12})/.exec(hash)?.slice(1) ?? []
  const [first, second, third, fourth, fifth] = groups
  return {
    'x-idempotency-key': `${first}-${second}-4${third}-8${fourth}-${fifth}`,
    'x-request-id': randomUUID(),
  }
}

/** A refusal as a value; anything else is thrown on. */
export function refusal(error: unknown): ProviderRefused {
  if (error instanceof ProviderRefused) return error
  throw error
}

/** What is there, or null; a refusal for another reason is thrown. */
export async function find<T>(
  call: Call,
  path: string,
  read: (answer: unknown) => T,
  headers: Record<string, string> = {},
): Promise<T | null> {
  const found = await call('GET', path, read, { headers }).catch(refusal)
  if (!(found instanceof ProviderRefused)) return found
  if (found.httpStatus === 404) return null
  throw found
}

export function withoutEmpty(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}

/** Ten digits for India, which is all that its banks know. */
export function phoneOf(phone: string): string {
  const digits = phone.replaceAll(/\D/g, '')
  return /^(91|0)?\d{10}$/.test(digits) ? digits.slice(-10) : digits
}

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

/**
 * Our ids at Cashfree begin with the number of their institute: a callback about a refund or a debit, and a line of the
 * reconciliation, carry an id of ours and nothing else. An id that is not in this form is somebody else's.
 */
type OurId = { instituteId: number; id: string }
type Kind = 'pay' | 'rfd' | 'mdt'

export function toCashfreeId(instituteId: number, id: string): string {
  return `${instituteId}-${id}`
}

export function readOurId(text: string | null, kind: Kind): OurId | null {
  const [, institute, id, prefix] = /^([1-9]\d{0,8})-(([a-z]{3})_[0-9a-z]+)$/.exec(text ?? '') ?? []
  return institute !== undefined && id !== undefined && prefix === kind
    ? { instituteId: Number(institute), id }
    : null
}

/**
 * What we keep as the provider's reference of a debit: `rail/subscription/payment`. All of it is known before the debit is
 * sent, and Cashfree finds a debit only by its subscription; so it is kept before the call, and a lost answer loses nothing.
 */
export type DebitRef = { rail: Rail; subscriptionId: string; paymentId: string }

export function toDebitRef({ rail, subscriptionId, paymentId }: DebitRef): string {
  return `${rail}/${subscriptionId}/${paymentId}`
}

export function readDebitRef(text: string | null): DebitRef | null {
  const [rail, subscriptionId, paymentId] = (text ?? '').split('/')
  if ((rail !== 'enach' && rail !== 'upi_autopay') || subscriptionId === undefined || paymentId === undefined)
    return null
  return { rail, subscriptionId, paymentId }
}
