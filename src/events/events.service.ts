import type { Transaction } from '../platform/db/database.ts'
import type { Page, PageRange } from '../platform/db/list.ts'
import { notFound } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { newId } from '../platform/ids.ts'
import { traceParent } from '../platform/tracing/spans.ts'
import type { NewEvent } from './define-event.ts'
import * as store from './events.store.ts'
import { idRanges, type Ids } from './id-range.rules.ts'

export { eventsQuery, type RecordedEvent } from './events.store.ts'

/**
 * Records what happened in the transaction in which it happened, whether or not anyone is subscribed. The
 * payload is a snapshot and never changes afterwards. The caller holds a lock on the resource. Gives the ids.
 */
export async function recordEvents(tx: Transaction, events: readonly NewEvent[]): Promise<string[]> {
  if (events.length === 0) return []
  const rows = events.map(({ payload, ...event }) => ({
    ...event,
    id: newId('evt'),
    payloadJson: JSON.stringify(payload),
    traceParent: traceParent(),
  }))
  if ((await store.insertEvents(tx, rows)) > 0) tx.notify('deliveries')
  return rows.map(row => row.id)
}

/**
 * Newest first for people who look, oldest first for programs that follow. A follower is shown an event only when no
 * other can still be recorded before it, so that going on from the last one seen misses none.
 */
export async function listEvents(
  { db }: Context,
  instituteId: number,
  filter: Omit<store.EventFilter, 'fromId' | 'belowId'>,
  page: PageRange & { order: 'newest' | 'oldest' },
): Promise<Page<store.RecordedEvent>> {
  // Read before the events, so that whatever ended in between is among them.
  const horizon = page.order === 'oldest' ? await store.readHorizon(db) : undefined
  const recordedBefore = earlier(filter.recordedBefore, horizon)
  const { near, all } = idRanges(page, { from: filter.recordedFrom, before: recordedBefore }, new Date())
  const within = (ids: Ids): Promise<Page<store.RecordedEvent>> =>
    store.listEvents(db, instituteId, { ...filter, recordedBefore, ...ids }, page)
  if (near !== null) {
    const found = await within(near.ids)
    const last = found.rows.at(-1)
    // A full page, and whatever is not in these months lies behind it.
    if (found.nextCursor !== undefined && last !== undefined && near.isWhole(last.recordedAt)) return found
  }
  return within(all)
}

export async function getEvent(
  { db }: Context,
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
