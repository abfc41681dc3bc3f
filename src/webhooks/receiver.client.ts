import type { Outbound, OutboundResult } from '../platform/outbound.ts'
import type { Claimed } from './deliver.store.ts'
import { deliveryBody } from './delivery-body.ts'
import { signatureHeaders } from './signing.ts'

/** A delivery made ready to leave: nothing about it is decided any more. */
type Prepared = { url: string; headers: Record<string, string>; body: string }

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

/** What a subscription's deliveries are signed with and carry. */
export type Keys = { secrets: readonly string[]; header: { name: string; value: string } | null }

export function prepare({ event, webhook }: Claimed, at: Date, { secrets, header }: Keys): Prepared {
  const body = deliveryBody(event)
  return {
    url: webhook.url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Bursar-Webhooks/1.0',
      ...(header === null ? {} : { [header.name]: header.value }),
      ...signatureHeaders({ eventId: event.id, body, at, secrets }),
    },
  }
}
