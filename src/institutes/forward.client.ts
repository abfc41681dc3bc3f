import { anyAddress } from '../platform/http-client/addresses.ts'
import { HttpClient, type HttpResult } from '../platform/http-client/http-client.ts'

/** A callback as it came, to be sent on without a change. */
export type IncomingCallback = {
  /** Includes the query. */
  path: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  rawBody: Buffer
  /** Address of the sender. */
  ip: string
}

/** Says that a cell has sent it on: it is not sent on once more. */
export const FORWARDED_BY = 'bursar-forwarded-by'

/** Headers that belong to the one connection, or that proxies on the way add. */
const LEFT_OUT = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-forwarded-for',
])

/** Providers give up after 5 to 10 seconds and send again. */
const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024

// Cells are addresses that the operator gave.
const httpClient = new HttpClient({ policy: anyAddress })

/** Sends to a process of another cell, given as host:port. */
export function sendToCell(address: string, callback: IncomingCallback, by: string): Promise<HttpResult> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(callback.headers))
    if (typeof value === 'string' && !LEFT_OUT.has(name)) headers[name] = value
  return httpClient.send({
    method: 'POST',
    url: `http://${address}${callback.path}`,
    headers: { ...headers, 'x-forwarded-for': callback.ip, [FORWARDED_BY]: by },
    body: callback.rawBody,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
}
