import type { Transaction } from '../platform/db.ts'
import type { Page, PageRange } from '../platform/db/list.ts'
import { notFound } from '../platform/errors.ts'
import type { Ground } from '../platform/ground.ts'
import { newId } from '../platform/ids.ts'
import type { EventCode, TestCode } from './event-codes.ts'
import type { EventPayload, TestPayload } from './event-payloads.ts'
import * as store from './events.store.ts'

export type { RecordedEvent } from './events.store.ts'

export type NewEvent<Code extends EventCode | TestCode = EventCode | TestCode> = {
  code: Code
  instituteId: number
  collectorCode: string
  /** Events of one resource carry a rising sequence: an order, a plan, an application or a student. */
  resourceId: string
  occurredAt: Date
  payload: EventPayload | TestPayload
}

/**
 * Records what happened in the transaction in which it happened, whether or not anyone is subscribed. The
 * payload is a snapshot and never changes afterwards. The caller holds a lock on the resource. Gives the ids.
 */
export async function recordEvents(tx: Transaction, events: readonly NewEvent[]): Promise<string[]> {
  if (events.length === 0) return []
  // Two events of one change carry the same payload; it is written out once.
  const written = new Map<NewEvent['payload'], string>()
  const jsonOf = (payload: NewEvent['payload']): string => {
    const json = written.get(payload) ?? JSON.stringify(payload)
    written.set(payload, json)
    return json
  }
  const rows = events.map(({ payload, ...event }) => ({
    ...event,
    id: newId('evt'),
    payloadJson: jsonOf(payload),
  }))
  if ((await store.insertEvents(tx, rows)) > 0) tx.ring('deliveries')
  return rows.map(row => row.id)
}

/**
 * Newest first for people who look, oldest first for programs that follow. A follower is shown an event only when no
 * other can still be recorded before it, so that going on from the last one seen misses none.
 */
export async function listEvents(
  { db }: Ground,
  instituteId: number,
  filter: store.EventFilter,
  page: PageRange & { order: 'newest' | 'oldest' },
): Promise<Page<store.RecordedEvent>> {
  // Read before the events, so that whatever ended in between is among them.
  const horizon = page.order === 'oldest' ? await store.readHorizon(db) : undefined
  const recordedBefore = earlier(filter.recordedBefore, horizon)
  return store.listEvents(db, instituteId, { ...filter, recordedBefore }, page)
}

export async function getEvent(
  { db }: Ground,
  instituteId: number,
  id: string,
): Promise<store.RecordedEvent> {
  const event = await store.findEvent(db, instituteId, id)
  if (event === null) throw notFound('This event')
  return event
}

function earlier(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}
