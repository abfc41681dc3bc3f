import type { Queryable, Transaction } from '../platform/db/database.ts'
import { list, type Page, type PageRange } from '../platform/db/list.ts'
import type { EventCode, TestCode } from './codes.ts'

export type EventRow = {
  id: string
  code: EventCode | TestCode
  instituteId: number
  collectorCode: string
  resourceId: string
  occurredAt: Date
  payloadJson: string
  traceParent: string | null
}

/**
 * In the order given: the sequence rises with it. Every subscriber is owed a delivery, written and queued by the
 * same statement: an event without its delivery, or the reverse, cannot be. Answers how many deliveries that makes.
 */
export async function insertEvents(tx: Transaction, events: readonly EventRow[]): Promise<number> {
  const rows = await tx.query<{ count: number }>(
    `with recorded as (
       insert into events (institute_id, id, event_code, collector_code, resource_id, occurred_at, payload, trace_parent)
       select institute_id, id, event_code, collector_code, resource_id, occurred_at, payload::json, trace_parent
       from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::text[])
         with ordinality as event (institute_id, id, event_code, collector_code, resource_id, occurred_at, payload, trace_parent, position)
       order by position
       returning institute_id, id, event_code, collector_code
     ), owed as (
       insert into webhook_deliveries (institute_id, id, webhook_id, event_id)
       select e.institute_id, 'dlv_' || substr(e.id, length('evt_') + 1), s.id, e.id
       from recorded e join webhook_subscriptions s on s.institute_id = e.institute_id
         and s.collector_code = e.collector_code and s.event_code = e.event_code and s.disabled_at is null
       returning institute_id, id, webhook_id, event_id
     ), queued as (
       insert into webhook_queue (institute_id, delivery_id, webhook_id, event_id) select * from owed returning 1
     )
     select count(*) from queued`,
    [
      events.map(event => event.instituteId),
      events.map(event => event.id),
      events.map(event => event.code),
      events.map(event => event.collectorCode),
      events.map(event => event.resourceId),
      events.map(event => event.occurredAt),
      events.map(event => event.payloadJson),
      events.map(event => event.traceParent),
    ],
  )
  return rows[0]?.count ?? 0
}

export type RecordedEvent = {
  id: string
  code: string
  resourceId: string
  sequence: number
  occurredAt: Date
  recordedAt: Date
  payload: unknown
}

const COLUMNS = `e.id, e.event_code as code, e.resource_id as "resourceId", e.sequence, e.occurred_at as "occurredAt",
  e.recorded_at as "recordedAt", e.payload`

export type EventFilter = {
  eventCode?: string | undefined
  resourceId?: string | undefined
  collectorCode?: string | undefined
  recordedFrom?: Date | undefined
  recordedBefore?: Date | undefined
  /** Ids from here on: no event of the list has an earlier one. It spares the months before. */
  fromId?: string | undefined
  belowId?: string | undefined
}

export async function listEvents(
  db: Queryable,
  instituteId: number,
  filter: EventFilter,
  page: PageRange & { order: 'newest' | 'oldest' },
): Promise<Page<RecordedEvent>> {
  return list<RecordedEvent>(
    db,
    {
      select: COLUMNS,
      from: 'events e',
      scope: [['e.institute_id = $1', instituteId]],
      filters: [
        ['e.event_code = $1', filter.eventCode],
        ['e.resource_id = $1', filter.resourceId],
        ['e.collector_code = $1', filter.collectorCode],
        ['e.recorded_at >= $1', filter.recordedFrom],
        ['e.recorded_at < $1', filter.recordedBefore],
        ['e.id >= $1', filter.fromId],
        ['e.id < $1', filter.belowId],
      ],
      order: ['sequence'],
      direction: page.order === 'oldest' ? 'asc' : 'desc',
    },
    page,
  )
}

export async function findEvent(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<RecordedEvent | null> {
  const [row] = await db.query<RecordedEvent>(
    `select ${COLUMNS} from events e where e.institute_id = $1 and e.id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

/** When the oldest transaction still running began: an event that is yet to come draws its sequence after that. */
export async function readHorizon(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ at: Date }>(
    `select least(min(xact_start), now()) as at from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
  if (row === undefined) throw new Error('a clock always answers')
  return row.at
}
