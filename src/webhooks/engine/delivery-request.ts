import { traceCall } from '../../platform/http-client/trace-call.ts'
import type { Claimed } from './delivery-engine.store.ts'
import { mergeHeaders, type HttpRequest } from '../../platform/http-client/http-client.ts'
import { excerptOf, maskOf, spellingsOf } from '../delivery-log/deliveries.rules.ts'
import type { HmacKey } from './hmac.ts'
import { signatureHeaders, signingKey } from './signing.ts'

const TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 64 * 1_024
const OWN_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Bursar-Webhooks/1.0' }

/** What a subscription's deliveries are signed with and carry. */
export type Keys = {
  signing: readonly HmacKey[]
  headers: Readonly<Record<string, string>>
  /** What of its receiver's answer may be shown. */
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

/** Part of the trace of what caused the event, however much later it is. */
export function traceDelivery({
  id,
  eventCode,
  traceParent,
  webhook,
}: Claimed): ReturnType<typeof traceCall> {
  return traceCall({ method: 'POST', url: webhook.url }, 'webhook delivery', {
    parent: traceParent,
    'bursar.delivery_id': id,
    'bursar.event': eventCode,
  })
}
