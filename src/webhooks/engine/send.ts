import { createHmac, createSecretKey, type Hmac, type KeyObject } from 'node:crypto'
import type { Context } from '../../platform/context.ts'
import { mergeHeaders, type HttpRequest } from '../../platform/http-client/http-client.ts'
import { traceCall } from '../../platform/tracing/spans.ts'
import { excerptOf, maskOf, spellingsOf } from '../delivery-log/deliveries.rules.ts'
import { openHeader, openSecrets } from '../subscriptions/subscriptions.service.ts'
import type { ClaimedDelivery, DeliveryTarget } from './queue.store.ts'

/** How long a receiver has, and how much of its answer is read. */
export const TIMEOUT_MS = 15_000
export const MAX_ANSWER_BYTES = 64 * 1_024

type Sending = { url: string; eventId: string; body: Buffer; at: Date; keys: Keys }

/** One POST to a subscriber: any answer within 15 seconds, of which at most 64 KiB are read. */
export function deliveryRequest({ url, eventId, body, at, keys }: Sending): HttpRequest {
  const signatures = signatureHeaders({ eventId, body, at, keys: keys.signing })
  return {
    method: 'POST',
    url,
    headers: { ...keys.headers, ...signatures },
    body,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
  }
}

type Signed = {
  eventId: string
  /** The body as it is sent, byte for byte. */
  body: Buffer
  at: Date
  /** The current key first; behind it the one that still signs for a day after a change. None: not signed. */
  keys: readonly KeyObject[]
}

const STANDARD_PREFIX = 'whsec_'

/** A `whsec_` key is base64 behind its prefix, as the libraries have it; any other is the text itself. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(
    secret.startsWith(STANDARD_PREFIX)
      ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
      : Buffer.from(secret),
  )
}

/** The headers that let a receiver know who sent a delivery: Standard Webhooks, and a plain HMAC for one line of code. */
export function signatureHeaders({ eventId, body, at, keys }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const headers: Record<string, string> = { 'webhook-id': eventId, 'webhook-timestamp': timestamp }
  const [current, previous] = keys
  if (current === undefined) return headers
  const signed = `${eventId}.${timestamp}.`
  headers['webhook-signature'] = keys.map(key => `v1,${sign(key, signed, body).digest('base64')}`).join(' ')
  headers['x-signature'] = sign(current, '', body).digest('hex')
  if (previous !== undefined) headers['x-signature-previous'] = sign(previous, '', body).digest('hex')
  return headers
}

const sign = (key: KeyObject, before: string, body: Buffer): Hmac =>
  createHmac('sha256', key).update(before).update(body)

const OWN_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Bursar-Webhooks/1.0' }

/** What a subscription's deliveries are signed with and carry. */
export type Keys = {
  signing: readonly KeyObject[]
  headers: Readonly<Record<string, string>>
  /** Cuts the receiver's answer to what may be shown. */
  excerptOf: (body: Buffer) => string
}

export function makeKeys(secrets: readonly string[], header: { name: string; value: string } | null): Keys {
  return {
    signing: secrets.map(signingKey),
    headers: mergeHeaders(OWN_HEADERS, header === null ? {} : { [header.name]: header.value }),
    excerptOf: excerptsWithout(header === null ? secrets : [...secrets, header.value]),
  }
}

const REMEMBERED_BYTES = 1_024

/** A receiver mostly says the same few words as before, so its last answer is remembered, unless it is long. */
function excerptsWithout(secrets: readonly string[]): (body: Buffer) => string {
  const mask = maskOf(secrets.flatMap(spellingsOf))
  let last = Buffer.alloc(0)
  let shown = ''
  return body => {
    if (body.length > REMEMBERED_BYTES) return excerptOf(body, mask)
    if (!body.equals(last)) {
      last = Buffer.from(body)
      shown = excerptOf(body, mask)
    }
    return shown
  }
}

/** When so many are open, all are forgotten: opening one costs a decryption and no more. */
const MOST_OPENED = 1_000

/** Keys of subscriptions, opened once and again when a subscription has others. */
export class OpenedKeys {
  readonly #ctx: Context
  readonly #opened = new Map<string, { target: DeliveryTarget; keys: Keys }>()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  of(target: DeliveryTarget): Keys {
    const known = this.#opened.get(target.id)
    if (known?.target === target) return known.keys
    if (known !== undefined && isSealedAlike(known.target, target)) {
      known.target = target
      return known.keys
    }
    const keys = makeKeys(openSecrets(this.#ctx, target), openHeader(this.#ctx, target))
    if (this.#opened.size >= MOST_OPENED) this.#opened.clear()
    this.#opened.set(target.id, { target, keys })
    return keys
  }
}

function isSealedAlike(one: DeliveryTarget, other: DeliveryTarget): boolean {
  return (
    one.headerKey === other.headerKey &&
    isAlike(one.secretSealed, other.secretSealed) &&
    isAlike(one.previousSecretSealed, other.previousSecretSealed) &&
    isAlike(one.headerValueSealed, other.headerValueSealed)
  )
}

function isAlike(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other)
}

/** Part of the trace of what caused the event, however much later it is. */
export function traceDelivery({
  id,
  eventCode,
  traceParent,
  webhook,
}: ClaimedDelivery): ReturnType<typeof traceCall> {
  return traceCall({ method: 'POST', url: webhook.url }, 'webhook delivery', {
    parent: traceParent,
    'bursar.delivery_id': id,
    'bursar.event': eventCode,
  })
}
