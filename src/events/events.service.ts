import type { NewEvent } from './define-event.ts'
import * as store from './events.store.ts'
import { DAY_MS } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import type { Transaction } from '../platform/db/database.ts'
import type { Page, PageRange } from '../platform/db/list.ts'
import { notFound } from '../platform/errors.ts'
import { firstIdAt, momentOf, newId } from '../platform/ids.ts'
import { traceParent } from '../platform/tracing/spans.ts'

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
  const recordedBefore = earliest(filter.recordedBefore, horizon)
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

/** Part of the log by its ids: the months of other ids are not read. */
type Ids = { fromId?: string | undefined; belowId?: string | undefined }

/** Ids are dated by the clocks of processes and events by the database's. Those that differ by a day have other troubles. */
const SKEW_MS = DAY_MS
/** A month of ids and what stands around it: two partitions, or three. */
const NEAR_MS = 31 * DAY_MS

type PagePlace = { order: 'newest' | 'oldest'; cursor?: string | undefined }
type RecordedSpan = { from?: Date | undefined; before?: Date | undefined }

/**
 * Which ids a page of events may have: those around its cursor, or now, in which most pages are found, and all. The list
 * goes by sequence, which rises with the moment of recording and not with the id, so a page of the near ones is whole only
 * if its last event was recorded a day within them.
 */
function idRanges(
  { order, cursor }: PagePlace,
  recorded: RecordedSpan,
  now: Date,
): { all: Ids; near: { ids: Ids; isWhole: (last: Date) => boolean } | null } {
  const isNewest = order === 'newest'
  const at = cursor === undefined ? null : momentOf(cursor)
  const from = latest(shift(recorded.from, -SKEW_MS), isNewest ? undefined : shift(at, -SKEW_MS))
  const before = earliest(shift(recorded.before, SKEW_MS), isNewest ? shift(at, SKEW_MS) : undefined)
  const all = idsOf(from, before)
  if (isNewest) {
    const edge = new Date((at ?? now).getTime() - NEAR_MS)
    const isWhole = (last: Date): boolean => last.getTime() - SKEW_MS > edge.getTime()
    return { all, near: { ids: idsOf(latest(from, edge), before), isWhole } }
  }
  const edge = shift(at, NEAR_MS)
  // What comes after it is yet to be recorded, or little.
  if (edge === undefined || edge > now) return { all, near: null }
  const isWhole = (last: Date): boolean => last.getTime() + SKEW_MS < edge.getTime()
  return { all, near: { ids: idsOf(from, earliest(before, edge)), isWhole } }
}

function idsOf(from: Date | undefined, before: Date | undefined): Ids {
  return { fromId: from && firstIdAt('evt', from), belowId: before && firstIdAt('evt', before) }
}

/** Ids have no moments before 1970. */
function shift(moment: Date | null | undefined, byMs: number): Date | undefined {
  return moment ? new Date(Math.max(0, moment.getTime() + byMs)) : undefined
}

function latest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one > other ? one : other
}

function earliest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}
