import { createHmac } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'

/** One delivery to a receiver, as Bursar itself sends it. */
export type Delivery = {
  url: string
  eventId: string
  body: Buffer
  secret: string
  /** Sent besides, such as one that a proxy in between wants. */
  headers: Readonly<Record<string, string>>
  /** Take any certificate, such as one that the developer signed. */
  insecure: boolean
  signal: AbortSignal
}

export type Outcome =
  | { kind: 'answered'; httpStatus: number; durationMs: number }
  | { kind: 'failed'; message: string; durationMs: number }

const TIMEOUT_MS = 15_000
const agents = {
  'http:': new http.Agent({ keepAlive: true }),
  'https:': new https.Agent({ keepAlive: true }),
}

export async function deliver(delivery: Delivery): Promise<Outcome> {
  const began = Date.now()
  try {
    const httpStatus = await post(delivery)
    return { kind: 'answered', httpStatus, durationMs: Date.now() - began }
  } catch (error) {
    return { kind: 'failed', message: reasonOf(error), durationMs: Date.now() - began }
  }
}

/** Connections that were kept would hold the process for a while. */
export function closeConnections(): void {
  for (const agent of Object.values(agents)) agent.destroy()
}

function post({ url, headers, insecure, signal, ...signed }: Delivery): Promise<number> {
  const { protocol } = new URL(url)
  const isSecure = protocol === 'https:'
  const ended = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  return new Promise((resolve, reject) => {
    const request = (isSecure ? https : http).request(url, {
      method: 'POST',
      agent: agents[isSecure ? 'https:' : 'http:'],
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Bursar-Webhooks/1.0',
        ...signatureHeaders(signed),
        ...headers,
        'content-length': signed.body.length,
      },
      signal: ended,
      ...(isSecure && { rejectUnauthorized: !insecure }),
    })
    request.on('response', response => {
      response.on('error', reject)
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.resume()
    })
    request.on('error', reject)
    request.end(signed.body)
  })
}

function signatureHeaders({
  eventId,
  body,
  secret,
}: Pick<Delivery, 'eventId' | 'body' | 'secret'>): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const key = keyOf(secret)
  const signature = createHmac('sha256', key).update(`${eventId}.${timestamp}.`).update(body).digest('base64')
  return {
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
    'x-signature': createHmac('sha256', key).update(body).digest('hex'),
  }
}

/** A `whsec_` key is base64 behind its prefix; any other is the text itself. */
function keyOf(secret: string): Buffer {
  return secret.startsWith('whsec_')
    ? Buffer.from(secret.slice('whsec_'.length), 'base64')
    : Buffer.from(secret)
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before the answer was complete.',
  ENOTFOUND: 'There is no host of that name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is self-signed; --insecure takes it.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate is self-signed; --insecure takes it.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Its certificate cannot be verified; --insecure takes it.',
  ABORT_ERR: 'There was no answer within 15 seconds.',
}

function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return REASONS[code] ?? message
}
