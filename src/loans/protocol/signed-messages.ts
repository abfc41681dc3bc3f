import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Messages signed as Standard Webhooks has it (standardwebhooks.com), for exchanges that are signed both ways. */
const PREFIX = 'whsec_'
const KEY_BYTES = 32
const TOLERANCE_S = 5 * 60
const MAX_SIGNATURES = 10

type SignedHeaders = Readonly<Record<string, string | undefined>>

export function newSigningSecret(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64')
}

/** One signature per secret: during a rotation the receiver may know only one of them. */
export function signMessage(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(secret => `v1,${macOf(secret, id, timestamp, body)}`).join(' '),
  }
}

/** Whether one of the secrets signed exactly these bytes within five minutes of `now`. */
export function isSigned(
  secrets: readonly string[],
  { headers, rawBody, now }: { headers: SignedHeaders; rawBody: Buffer; now: Date },
): boolean {
  const id = headers['webhook-id'] ?? ''
  const timestamp = headers['webhook-timestamp'] ?? ''
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > TOLERANCE_S) return false
  const sent = (headers['webhook-signature'] ?? '').split(' ').slice(0, MAX_SIGNATURES)
  return secrets.some(secret => {
    const expected = Buffer.from(`v1,${macOf(secret, id, timestamp, rawBody)}`)
    return sent.some(one => {
      const given = Buffer.from(one)
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
  })
}

function macOf(secret: string, id: string, timestamp: string, body: string | Buffer): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
}
