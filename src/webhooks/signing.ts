import { createHmac } from 'node:crypto'

const STANDARD_PREFIX = 'whsec_'

type Signed = {
  eventId: string
  /** The body as it is sent, byte for byte. */
  body: string
  at: Date
  /** The current key first; behind it the one that still signs for a day after a change. None: not signed. */
  secrets: readonly string[]
}

/** The headers that let a receiver know who sent a delivery: Standard Webhooks, and a plain HMAC for one line of code. */
export function signatureHeaders({ eventId, body, at, secrets }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const headers: Record<string, string> = { 'webhook-id': eventId, 'webhook-timestamp': timestamp }
  const keys = secrets.map(keyBytes)
  const [current, previous] = keys
  if (current === undefined) return headers
  headers['webhook-signature'] = keys.map(key => signStandard(key, { eventId, timestamp, body })).join(' ')
  headers['x-signature'] = signPlain(current, body)
  if (previous !== undefined) headers['x-signature-previous'] = signPlain(previous, body)
  return headers
}

/** A `whsec_` key is base64 behind its prefix, as the libraries have it; any other is the text itself. */
function keyBytes(secret: string): Buffer {
  return secret.startsWith(STANDARD_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8')
}

/** As the Standard Webhooks libraries sign; theirs hashes in JavaScript, at a tenth of a delivery's cost. */
function signStandard(
  key: Buffer,
  { eventId, timestamp, body }: { eventId: string; timestamp: string; body: string },
): string {
  const signed = createHmac('sha256', key).update(`${eventId}.${timestamp}.`).update(body).digest('base64')
  return `v1,${signed}`
}

function signPlain(key: Buffer, body: string): string {
  return createHmac('sha256', key).update(body).digest('hex')
}
