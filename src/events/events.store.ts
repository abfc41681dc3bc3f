import { assert } from '../platform/assert.ts'
import type { Queryable, Transaction } from '../platform/db/database.ts'
import { list, wholeList, type List, type Page, type PageRange } from '../platform/db/list.ts'
import type { Query } from '../platform/db/query.ts'
import { Table } from '../platform/db/table.ts'
import type { EventCode, TestCode, OwedDeliveries, OwedDelivery } from './define-event.ts'

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
 * Inserts events in the order given: the sequence rises with it. Every subscriber is owed a delivery, which is written and
 * queued in the same transaction. Answers how many deliveries others have to be told of.
 */
export async function insertEvents(tx: Transaction, events: readonly EventRow[]): Promise<number> {
  let owed = 0
  for (const [instituteId, some] of Map.groupBy(events, event => event.instituteId))
    owed += await insertOf(tx, instituteId, some)
  return owed
}

const rows = new Table<EventRow>('events', {
  instituteId: 'int',
  id: 'text',
  code: 'event_code text',
  collectorCode: 'text',
  resourceId: 'text',
  occurredAt: 'timestamptz',
  payloadJson: 'payload json',
  traceParent: 'text',
})

const queue = new Table<OwedDelivery & { instituteId: number }>('webhook_queue', {
  instituteId: 'int',
  id: 'delivery_id text',
  webhookId: 'text',
  eventId: 'text',
})

async function insertOf(tx: Transaction, instituteId: number, events: readonly EventRow[]): Promise<number> {
  // Neither needs the other's answer, so both leave together.
  const [recorded, owed] = await Promise.all([
    rows.insertReturning<{ id: string; sequence: number }>(tx, events, 'id, sequence'),
    tx.query<OwedDelivery>(
      `insert into webhook_deliveries as d (institute_id, id, webhook_id, event_id)
       select s.institute_id, 'dlv_' || substr(e.id, length('evt_') + 1), s.id, e.id
       from unnest($2::text[], $3::text[], $4::text[]) as e (id, event_code, collector_code)
       join webhook_subscriptions s on s.institute_id = $1 and s.collector_code = e.collector_code
         and s.event_code = e.event_code and s.disabled_at is null
       returning d.id, d.webhook_id as "webhookId", d.event_id as "eventId"`,
      [
        instituteId,
        events.map(event => event.id),
        events.map(event => event.code),
        events.map(event => event.collectorCode),
      ],
    ),
  ])
  if (owed.length === 0) return 0
  const sequences = new Map(recorded.map(({ id, sequence }) => [id, sequence]))
  const isTaken = tx.takerOf<OwedDeliveries>('deliveries')?.(tx, {
    instituteId,
    owed,
    events: events.map(event => {
      const sequence = sequences.get(event.id)
      assert(sequence !== undefined, 'an event that was inserted has its place in the sequence')
      return { ...event, sequence }
    }),
  })
  return isTaken === true ? 0 : queueOwed(tx, instituteId, owed)
}

/** Whichever process finds them first delivers them. */
async function queueOwed(
  tx: Transaction,
  instituteId: number,
  owed: readonly OwedDelivery[],
): Promise<number> {
  await queue.insert(
    tx,
    owed.map(one => ({ ...one, instituteId })),
  )
  return owed.length
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

const eventsOf = (instituteId: number, filter: EventFilter, order: 'newest' | 'oldest'): List => ({
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
  direction: order === 'oldest' ? 'asc' : 'desc',
})

export async function listEvents(
  db: Queryable,
  instituteId: number,
  filter: EventFilter,
  page: PageRange & { order: 'newest' | 'oldest' },
): Promise<Page<RecordedEvent>> {
  return list<RecordedEvent>(db, eventsOf(instituteId, filter, page.order), page)
}

/** All of them as one statement, the newest first. */
export function eventsQuery(instituteId: number, filter: EventFilter): Query {
  return wholeList(eventsOf(instituteId, filter, 'newest'))
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
