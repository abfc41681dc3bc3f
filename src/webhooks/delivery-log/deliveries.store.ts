import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { AttemptRecord } from '../engine/queue.store.ts'
import { ASKED_FOR } from '../engine/queue.store.ts'
import type { DeliveryState } from './deliveries.rules.ts'

/** A delivery as people and programs look at it. */
export type Delivery = {
  id: string
  eventId: string
  eventCode: string
  webhookId: string
  state: DeliveryState
  attempts: AttemptRecord[]
  /** Null when it is over, and while an attempt is out. */
  nextAttemptAt: Date | null
  createdAt: Date
}

const COLUMNS = `d.id, d.event_id as "eventId", d.webhook_id as "webhookId", d.state, d.attempts,
  case when q.claim is not null then null when q.next_attempt_at = ${ASKED_FOR} then now()
    else greatest(q.next_attempt_at, s.paused_until) end as "nextAttemptAt", d.created_at as "createdAt"`
const SOURCE = `join webhook_subscriptions s on s.institute_id = d.institute_id and s.id = d.webhook_id`
const QUEUED = `join webhook_queue q on q.institute_id = d.institute_id and q.delivery_id = d.id`

/** A sub-select rather than a join: of all months of events only that of the row's event is opened. */
const EVENT_CODE = `(select e.event_code from events e where e.institute_id = $1 and e.id = d.event_id) as "eventCode"`

export const DELIVERIES = {
  select: `${COLUMNS}, ${EVENT_CODE}`,
  from: 'webhook_deliveries d',
  join: `${SOURCE} left ${QUEUED}`,
}

/**
 * The id is hidden from the planner behind a select, as the length of a list's page is: one plan fits all months. With the
 * event in the same statement that would not hold, so its code is read by itself.
 */
export async function findDelivery(db: Queryable, instituteId: number, id: string): Promise<Delivery | null> {
  const [row] = await db.query<Omit<Delivery, 'eventCode'>>(
    `select ${COLUMNS} from webhook_deliveries d ${SOURCE} left ${QUEUED}
     where d.institute_id = $1 and d.id = (select $2::text)`,
    [instituteId, id],
  )
  if (row === undefined) return null
  const [event] = await db.query<{ code: string }>(
    'select event_code as code from events where institute_id = $1 and id = (select $2::text)',
    [instituteId, row.eventId],
  )
  return { ...row, eventCode: event?.code ?? '' }
}

export async function insertDeliveries(
  tx: Transaction,
  target: { instituteId: number; webhookId: string },
  deliveries: readonly { id: string; eventId: string }[],
): Promise<void> {
  await tx.query(
    `with owed as (
       insert into webhook_deliveries (institute_id, id, webhook_id, event_id)
       select $1, d.id, $2, d.event_id from unnest($3::text[], $4::text[]) as d (id, event_id)
       returning institute_id, id, webhook_id, event_id
     )
     insert into webhook_queue (institute_id, delivery_id, webhook_id, event_id) select * from owed`,
    [
      target.instituteId,
      target.webhookId,
      deliveries.map(({ id }) => id),
      deliveries.map(({ eventId }) => eventId),
    ],
  )
}

/** Goes before all others, also to an endpoint that is to be left in peace. */
export async function insertAskedFor(
  tx: Transaction,
  delivery: { instituteId: number; webhookId: string; id: string; eventId: string },
): Promise<void> {
  await insertDeliveries(tx, delivery, [delivery])
  await sendAgain(tx, delivery.instituteId, delivery.id)
}

/** Sends at once and begins the schedule anew; a delivery whose attempt is out is left to it. */
export async function sendAgain(tx: Transaction, instituteId: number, id: string): Promise<boolean> {
  const rows = await tx.query(
    `with queued as (
       insert into webhook_queue as q (institute_id, delivery_id, webhook_id, event_id, next_attempt_at)
       select institute_id, id, webhook_id, event_id, ${ASKED_FOR} from webhook_deliveries where institute_id = $1 and id = $2
       on conflict (institute_id, delivery_id) do update set next_attempt_at = ${ASKED_FOR}, failures = 0 where q.claim is null
       returning institute_id, delivery_id
     )
     update webhook_deliveries d set state = case when attempts = '[]' then 'pending' else 'retrying' end, given_up_at = null
     from queued q where d.institute_id = q.institute_id and d.id = q.delivery_id and d.institute_id = $1 and d.id = $2 returning 1`,
    [instituteId, id],
  )
  return rows.length === 1
}

/** Makes waiting deliveries due, although the circuit is open or the receiver asked for a pause. */
export async function liftPause(tx: Transaction, instituteId: number, webhookId: string): Promise<void> {
  await tx.query(
    'update webhook_subscriptions set paused_until = null where institute_id = $1 and id = $2 and paused_until > now()',
    [instituteId, webhookId],
  )
}

/** Everything of this subscription that failed since then is due again. */
export async function retryExhausted(
  tx: Transaction,
  target: { instituteId: number; webhookId: string; since: Date },
): Promise<number> {
  const rows = await tx.query<{ count: number }>(
    `with again as (
       update webhook_deliveries set state = 'retrying', given_up_at = null
       where institute_id = $1 and webhook_id = $2 and given_up_at >= $3
       returning institute_id, id, webhook_id, event_id
     ), queued as (
       insert into webhook_queue (institute_id, delivery_id, webhook_id, event_id) select * from again returning 1
     )
     select count(*) from queued`,
    [target.instituteId, target.webhookId, target.since],
  )
  return rows[0]?.count ?? 0
}

/**
 * Events that no earlier subscription of the same code and branch received, and this one has not been given: those that
 * one of them had and lost, and those that happened while there was none. Of the latter only from `firstId` on, as nobody
 * knows of an older one whether it was received. By keyset, in the order of their ids.
 */
export async function listMissed(
  tx: Transaction,
  target: { instituteId: number; webhookId: string; since: Date },
  page: { firstId: string; afterId: string; limit: number },
): Promise<string[]> {
  const rows = await tx.query<{ eventId: string }>(
    `with earlier as (
       select old.institute_id, old.id, old.disabled_at, s.event_code, s.collector_code
       from webhook_subscriptions s
       join webhook_subscriptions old on old.institute_id = $1 and old.collector_code = s.collector_code
         and old.event_code = s.event_code and old.disabled_at is not null
       where s.institute_id = $1 and s.id = $2
     ), missed as (
       select e.institute_id, e.id from earlier o
       join webhook_deliveries d on d.institute_id = $1 and d.webhook_id = o.id
         and d.state <> 'delivered' and coalesce(d.given_up_at, o.disabled_at) >= $3
       join events e on e.institute_id = $1 and e.id = d.event_id and e.event_code = o.event_code
       union
       select e.institute_id, e.id
       from (select institute_id, event_code, collector_code, min(disabled_at) as disabled_at
             from earlier group by 1, 2, 3) o
       join events e on e.institute_id = $1 and e.event_code = o.event_code
         and e.collector_code = o.collector_code and e.recorded_at >= greatest(o.disabled_at, $3) and e.id >= $4
     )
     select m.id as "eventId" from missed m
     where m.id > $5 and not exists (select 1 from webhook_deliveries known
       where known.institute_id = $1 and known.event_id = m.id
         and (known.webhook_id = $2 or known.state = 'delivered'))
     order by 1 limit $6`,
    [target.instituteId, target.webhookId, target.since, page.firstId, page.afterId, page.limit],
  )
  return rows.map(({ eventId }) => eventId)
}

/** Cancels the waiting deliveries of a disabled subscription; an attempt in flight finishes first. */
export async function cancelWaiting(tx: Transaction, instituteId: number, webhookId: string): Promise<void> {
  await tx.query(
    `with taken as (
       delete from webhook_queue where institute_id = $1 and webhook_id = $2 and claim is null returning delivery_id
     )
     update webhook_deliveries d set state = 'cancelled'
     where d.institute_id = $1 and d.id = any (array(select delivery_id from taken))`,
    [instituteId, webhookId],
  )
}

/** Asks over all institutes. */
export async function isWaitingBelow(db: Queryable, deliveryId: string): Promise<boolean> {
  return isAny(await db.query('select 1 from webhook_queue where delivery_id < $1 limit 1', [deliveryId]))
}

export async function isOfEventBelow(db: Queryable, eventId: string): Promise<boolean> {
  return isAny(await db.query('select 1 from webhook_deliveries where event_id < $1 limit 1', [eventId]))
}

const isAny = (rows: readonly unknown[]): boolean => rows.length > 0
