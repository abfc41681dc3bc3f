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

/** The body of a delivery; the same on every attempt. Ids and codes are plain, nothing in them has to be escaped. */
export function deliveryBody({
  eventId,
  eventCode,
  timestamp,
  sequence,
  payloadJson,
}: DeliverableEvent): string {
  return `{"event_id":"${eventId}","event":"${eventCode}","timestamp":${timestamp},"version":"1.0","sequence":${sequence},"payload":${payloadJson}}`
}
