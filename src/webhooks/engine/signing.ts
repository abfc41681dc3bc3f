import { HmacKey } from './hmac.ts'

const STANDARD_PREFIX = 'whsec_'

type Signed = {
  eventId: string
  /** As it is sent, byte for byte. */
  body: Buffer
  at: Date
  /** The current key first; behind it the one that still signs for a day after a change. None: not signed. */
  keys: readonly HmacKey[]
}

/** A `whsec_` key is base64 behind its prefix, as the libraries have it; any other is the text itself. */
export function signingKey(secret: string): HmacKey {
  return new HmacKey(
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
  headers['webhook-signature'] = keys.map(key => `v1,${key.sign(signed, body, 'base64')}`).join(' ')
  headers['x-signature'] = current.sign('', body, 'hex')
  if (previous !== undefined) headers['x-signature-previous'] = previous.sign('', body, 'hex')
  return headers
}
