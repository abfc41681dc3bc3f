import type { Transaction } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { EventCode } from './event-codes.ts'
import type { EventPayload } from './event-payloads.ts'
import { insertEvents } from './events.store.ts'

export type NewEvent<Code extends EventCode = EventCode> = {
  code: Code
  instituteId: number
  collectorCode: string
  /** Events of one resource carry a rising sequence: an order, a plan, an application or a student. */
  resourceId: string
  occurredAt: Date
  payload: EventPayload
}

/**
 * Records what happened in the transaction in which it happened, whether or not anyone is subscribed. The
 * payload is a snapshot and never changes afterwards. The caller holds a lock on the resource.
 */
export async function recordEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  // Two events of one change carry the same payload; it is written out once.
  const written = new Map<EventPayload, string>()
  const jsonOf = (payload: EventPayload): string => {
    const json = written.get(payload) ?? JSON.stringify(payload)
    written.set(payload, json)
    return json
  }
  await insertEvents(
    tx,
    events.map(({ payload, ...event }) => ({ ...event, id: newId('evt'), payloadJson: jsonOf(payload) })),
  )
}
