/** An event as it is recorded, ready to be sent. */
export type DeliverableEvent = {
  eventId: string
  eventCode: string
  /** When it happened, in seconds since 1970. */
  timestamp: number
  sequence: number
  /** JSON as recorded: a snapshot is sent as it was written down, byte for byte. */
  payloadJson: string
}

/** The body of a delivery; the same on every attempt. */
export function deliveryBody(event: DeliverableEvent): string {
  const head = JSON.stringify({
    event_id: event.eventId,
    event: event.eventCode,
    timestamp: event.timestamp,
    version: '1.0',
    sequence: event.sequence,
  })
  return `${head.slice(0, -1)},"payload":${event.payloadJson}}`
}
