import type { Transaction } from '../platform/db.ts'
import type { EventCode } from './event-codes.ts'

export type EventRow = {
  id: string
  code: EventCode
  instituteId: number
  collectorCode: string
  resourceId: string
  occurredAt: Date
  payloadJson: string
}

/** In the order given: the sequence rises with it. */
export async function insertEvents(tx: Transaction, events: readonly EventRow[]): Promise<void> {
  await tx.query(
    `insert into events (institute_id, id, event_code, collector_code, resource_id, occurred_at, payload)
     select institute_id, id, event_code, collector_code, resource_id, occurred_at, payload::json
     from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[])
       with ordinality as event (institute_id, id, event_code, collector_code, resource_id, occurred_at, payload, position)
     order by position`,
    [
      events.map(event => event.instituteId),
      events.map(event => event.id),
      events.map(event => event.code),
      events.map(event => event.collectorCode),
      events.map(event => event.resourceId),
      events.map(event => event.occurredAt),
      events.map(event => event.payloadJson),
    ],
  )
}
