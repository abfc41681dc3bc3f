/** A delivery that a subscriber is owed of an event. */
export type OwedDelivery = { id: string; webhookId: string; eventId: string }

/** What an institute's subscribers are owed of events that were just recorded. */
export type OwedDeliveries = {
  instituteId: number
  owed: readonly OwedDelivery[]
  events: readonly { id: string; code: string; payloadJson: string; traceParent: string | null }[]
}
