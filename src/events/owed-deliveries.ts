/** A delivery that a subscriber is owed of an event. */
export type OwedDelivery = { id: string; webhookId: string; eventId: string }

/** What an institute's subscribers are owed of events that were just recorded. */
export type OwedDeliveries = {
  instituteId: number
  owed: readonly OwedDelivery[]
  events: readonly OwedEvent[]
}

/** An event that its transaction has just written. */
type OwedEvent = {
  id: string
  code: string
  sequence: number
  occurredAt: Date
  payloadJson: string
  traceParent: string | null
}
