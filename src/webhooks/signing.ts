import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

const STANDARD_PREFIX = 'whsec_'

type Signed = {
  eventId: string
  /** As it is sent, byte for byte. */
  body: Buffer
  at: Date
  /** The current key first; behind it the one that still signs for a day after a change. None: not signed. */
  keys: readonly KeyObject[]
}

/** A `whsec_` key is base64 behind its prefix, as the libraries have it; any other is the text itself. */
export function signingKey(secret: string): KeyObject {
  return secret.startsWith(STANDARD_PREFIX)
    ? createSecretKey(secret.slice(STANDARD_PREFIX.length), 'base64')
    : createSecretKey(secret, 'utf8')
}

/** The headers that let a receiver know who sent a delivery: Standard Webhooks, and a plain HMAC for one line of code. */
export function signatureHeaders({ eventId, body, at, keys }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const headers: Record<string, string> = { 'webhook-id': eventId, 'webhook-timestamp': timestamp }
  const [current, previous] = keys
  if (current === undefined) return headers
  const signed = `${eventId}.${timestamp}.`
  headers['webhook-signature'] = keys.map(key => signStandard(key, signed, body)).join(' ')
  headers['x-signature'] = signPlain(current, body)
  if (previous !== undefined) headers['x-signature-previous'] = signPlain(previous, body)
  return headers
}

/** As the Standard Webhooks libraries sign; theirs hashes in JavaScript, at a tenth of a delivery's cost. */
function signStandard(key: KeyObject, before: string, body: Buffer): string {
  return `v1,${createHmac('sha256', key).update(before).update(body).digest('base64')}`
}

function signPlain(key: KeyObject, body: Buffer): string {
  return createHmac('sha256', key).update(body).digest('hex')
}
