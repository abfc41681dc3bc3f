/** An event as it is recorded, ready to be sent. */
export type DeliverableEvent = {
  id: string
  code: string
  occurredAt: Date
  sequence: number
  /** JSON as recorded: a snapshot is sent as it was written down, byte for byte. */
  payloadJson: string
}

/** The body of a delivery; the same on every attempt. */
export function deliveryBody(event: DeliverableEvent): string {
  const head = JSON.stringify({
    event_id: event.id,
    event: event.code,
    timestamp: Math.floor(event.occurredAt.getTime() / 1_000),
    version: '1.0',
    sequence: event.sequence,
  })
  return `${head.slice(0, -1)},"payload":${event.payloadJson}}`
}
