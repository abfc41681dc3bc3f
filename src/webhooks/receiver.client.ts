import type { Outbound, OutboundResult } from '../platform/outbound.ts'

/** A delivery made ready to leave: nothing about it is decided any more. */
export type Prepared = { url: string; headers: Record<string, string>; body: string }

const TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 64 * 1_024

/** One POST to a subscriber: any answer within 15 seconds, of which at most 64 KiB are read. */
export async function postDelivery(outbound: Outbound, prepared: Prepared): Promise<OutboundResult> {
  return outbound.send({
    method: 'POST',
    url: prepared.url,
    headers: prepared.headers,
    body: prepared.body,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
  })
}
