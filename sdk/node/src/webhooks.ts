import { createHmac, timingSafeEqual } from 'node:crypto'
import { SignatureError } from './errors.ts'
import { parseJson } from './json.ts'
import type { WebhookEvent } from './types.ts'

type Headers = Readonly<Record<string, string | readonly string[] | undefined>> | globalThis.Headers

type VerifyOptions = {
  /** How far the clocks of sender and receiver may be apart. */
  toleranceSeconds?: number
  /** Unix seconds; the time of this machine when absent. */
  now?: number
}

const STANDARD_PREFIX = 'whsec_'

/**
 * The event of a delivery, if it is genuine and at most five minutes old; throws `SignatureError` otherwise. `rawBody`
 * is the body as it came, byte for byte: one that was parsed and written again has another signature. Several secrets
 * may be given while one is replaced by another.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: Headers,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() / 1_000 }: VerifyOptions = {},
): WebhookEvent {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name =>
    headerOf(headers, name),
  )
  if (id === undefined || timestamp === undefined || signatures === undefined)
    throw new SignatureError('The headers webhook-id, webhook-timestamp and webhook-signature are needed.')
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > toleranceSeconds)
    throw new SignatureError('The delivery is too old, or the clock of this machine is wrong.')
  const body = Buffer.from(rawBody as string)
  const expected = [secret].flat().map(one => sign(one, `${id}.${timestamp}.`, body))
  const sent = signatures
    .split(' ')
    .filter(one => one.startsWith('v1,'))
    .map(one => Buffer.from(one.slice('v1,'.length), 'base64'))
  if (!sent.some(one => expected.some(other => isSame(one, other))))
    throw new SignatureError('The signature does not fit the body and the secret.')
  return parseJson(body.toString('utf8')) as WebhookEvent
}

function sign(secret: string, before: string, body: Buffer): Buffer {
  const key = secret.startsWith(STANDARD_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
    : Buffer.from(secret)
  return createHmac('sha256', key).update(before).update(body).digest()
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

function headerOf(headers: Headers, name: string): string | undefined {
  if (headers instanceof globalThis.Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : found?.[0]
}
