import { assert } from '../../platform/assert.ts'
import type { OwedDeliveries } from '../../events/owed-deliveries.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { oneOf } from '../../platform/db/query.ts'
import { interrupted, LEASE, readTargets, releaseAll, type Claimed } from './delivery-engine.store.ts'
import { CIRCUIT_OPENS_AT } from '../delivery-log/deliveries.rules.ts'
import type { DeliverableEvent } from './delivery-body.ts'
import { ASKED_FOR, findReady, PAUSED, type Ready, type Room } from './ready.store.ts'
import { addAll } from '../../platform/lists.ts'

type Taken = Pick<Claimed, 'instituteId' | 'id' | 'claim' | 'place' | 'failures' | 'eventId'> & {
  webhookId: string
}

/** Deliveries, and behind them whether rows were left whose claim had run out. */
type ClaimedRow = (Taken & { isLeft: false }) | { isLeft: true }

/** No claim is larger, so the planner need not fear it. */
export const CLAIM_AT_ONCE = 1_500

/**
 * Takes them. The pause that a probe puts on its subscription keeps others away, and a subscription that somebody else has
 * locked is passed by.
 *
 * A row with a claim on it was held by a worker that is gone: its attempt is written down as interrupted. That update
 * opens every month of the log, so it is part of the statement only where there may be such a row. The other leaves them
 * where they are and says that it saw some.
 *
 * Who is free to be probed is found by a query that is run once: within the update, a join could run it again and pass by
 * those that it has just paused.
 *
 * Of how many subscriptions it is and of how many rows is hidden from the planner, behind `offset 0` and in `(select $2)`.
 * If it saw them it would think a plan made for these values cheaper, and make one each time, which takes longer than the
 * claim. The places in the queue are named twice: for the join alone it would read the whole queue.
 */
const claimText = (isLostTaken: boolean): string => {
  const lost = `, lost as (
    update webhook_deliveries d set attempts = d.attempts || t.attempt
    from (select institute_id, delivery_id, ${interrupted('lost_claim')} as attempt from taken where lost_claim is not null) t
    where d.institute_id = t.institute_id and d.id = t.delivery_id
      and d.id = any (array(select t.delivery_id from taken t where t.lost_claim is not null))
  )`
  return `
  with given as materialized (
    select $1::int[] as institutes, $4::text[] as webhooks, $5::int[] as rooms, $6::boolean[] as paused, $7::boolean[] as probes
    offset 0
  ), ready as materialized (
    select r.* from given cross join lateral unnest(institutes, webhooks, rooms, paused, probes)
      as r (institute_id, webhook_id, room, is_paused, needs_probe)
  ), free as materialized (
    select s.institute_id, s.id from webhook_subscriptions s join ready r on s.institute_id = r.institute_id and s.id = r.webhook_id
    where r.needs_probe and not ${PAUSED} limit (select $2::int) for no key update of s skip locked
  ), probing as (
    update webhook_subscriptions p set paused_until = now() + ${LEASE} from free
    where p.institute_id = free.institute_id and p.id = free.id
    returning p.institute_id, p.id
  ), due as (
    select * from (
      select r.institute_id, d.place, d.claimed_until
      from (select r.*, case when r.needs_probe then (select count(*) from probing p
              where p.institute_id = r.institute_id and p.id = r.webhook_id) else r.room end as take
            from ready r) r
      cross join lateral (
        select q.ctid as place, q.claimed_until from webhook_queue q
        where q.institute_id = r.institute_id and q.webhook_id = r.webhook_id
          and q.next_attempt_at <= case when r.is_paused then ${ASKED_FOR} else now() end
          and (q.claimed_until is null or q.claimed_until <= now())
        order by q.next_attempt_at limit r.take for update skip locked) d
      limit ${CLAIM_AT_ONCE}) d
    limit (select $2::int)
  ), taken as (
    update webhook_queue q set claimed_until = now() + ${LEASE}, claim = $3
    from due where q.institute_id = due.institute_id and q.ctid = due.place and q.ctid = any (array(select place from due))
      ${isLostTaken ? '' : 'and due.claimed_until is null'}
    returning q.*, q.ctid as place, old.claimed_until as lost_claim
  )${isLostTaken ? lost : ''}
  select t.institute_id as "instituteId", t.delivery_id as id, t.claim, t.place, t.failures, t.webhook_id as "webhookId",
    t.event_id as "eventId", false as "isLeft"
  from taken t
  union all
  select null, null, null, null, null, null, null, true
  where not ${isLostTaken} and exists (select 1 from due where claimed_until is not null)`
}

const CLAIM = { free: claimText(false), all: claimText(true) }

/** By their ids, so that no month is opened but those that they are in. An event of many deliveries is read once. */
const eventsOf = (institutes: string, ids: string): string => `
  select e.id as "eventId", e.event_code as "eventCode",
    floor(date_part('epoch', e.occurred_at))::bigint as timestamp, e.sequence, e.payload::text as "payloadJson",
    e.trace_parent as "traceParent"
  from events e where ${institutes} and ${ids}`

type ClaimedEvent = DeliverableEvent & Pick<Claimed, 'traceParent'>

/** Claimed from the start, unless the subscription is paused or its circuit open: then a look decides. */
const QUEUE_OWED = `
  with queued as (
    insert into webhook_queue (institute_id, delivery_id, webhook_id, event_id, claimed_until, claim)
    select $1, o.id, o.webhook_id, o.event_id, case when is_open then clock_timestamp() + ${LEASE} end,
      case when is_open then nextval('webhook_claims') end
    from (
      select o.*, s.disabled_at is null and not ${PAUSED} and s.failures_in_row < ${CIRCUIT_OPENS_AT} as is_open
      from unnest($2::text[], $3::text[], $4::text[]) as o (id, webhook_id, event_id)
      join webhook_subscriptions s on s.institute_id = $1 and s.id = o.webhook_id) o
    returning *, ctid as place)
  select q.delivery_id as id, q.webhook_id as "webhookId", q.event_id as "eventId", q.claim, q.place, q.failures,
    e.sequence, floor(date_part('epoch', e.occurred_at))::bigint as timestamp
  from queued q join events e on e.institute_id = $1 and e.id = q.event_id`

/** Queued in the transaction that records its event, already held by this process. */
export type HandedOver = Taken & ClaimedEvent

/** Answers those that are claimed. */
export async function queueClaimed(
  tx: Transaction,
  { instituteId, owed, events }: OwedDeliveries,
): Promise<HandedOver[]> {
  const rows = await tx.query<
    Omit<Taken, 'claim'> & { claim: number | null } & Record<'sequence' | 'timestamp', number>
  >(QUEUE_OWED, [
    instituteId,
    owed.map(({ id }) => id),
    owed.map(({ webhookId }) => webhookId),
    owed.map(({ eventId }) => eventId),
  ])
  const recorded = new Map(events.map(event => [event.id, event]))
  return rows.flatMap(({ claim, ...row }) => {
    const event = recorded.get(row.eventId)
    assert(event !== undefined, 'a delivery is of an event that was recorded with it')
    const { code: eventCode, payloadJson, traceParent } = event
    return claim === null ? [] : [{ ...row, claim, instituteId, eventCode, payloadJson, traceParent }]
  })
}

const isShutSince = ({ webhook: { isPaused, isDisabled } }: Claimed): boolean => isPaused && !isDisabled

/** With their subscriptions as they are after the commit; what is shut since is given back. */
export async function completeHandedOver(db: Database, handed: readonly HandedOver[]): Promise<Claimed[]> {
  const targets = await readTargets(db, handed)
  const claims = handed.map(({ webhookId, ...row }) => {
    const webhook = targets.get(webhookId)
    assert(webhook !== undefined, 'a delivery has a subscription')
    return { ...row, webhook }
  })
  await releaseAll(db, claims.filter(isShutSince))
  return claims.filter(claimed => !isShutSince(claimed))
}

type ClaimOptions = { limit: number; roomEach: number; busy: readonly Room[] }

export async function claimDue(
  db: Database,
  { limit, roomEach, busy }: ClaimOptions,
): Promise<{ claims: Claimed[]; mayBeMore: boolean }> {
  const ready = await findReady(db, { roomEach, busy })
  const claims = ready.length === 0 ? [] : await claimSome(db, ready, limit)
  return { claims, mayBeMore: claims.length === limit }
}

async function claimSome(db: Database, ready: readonly Ready[], limit: number): Promise<Claimed[]> {
  const values = [
    ready.map(({ instituteId }) => instituteId),
    limit,
    ready[0]?.claim,
    ready.map(({ webhookId }) => webhookId),
    ready.map(({ room }) => room),
    ready.map(({ isPaused }) => isPaused),
    ready.map(({ needsProbe }) => needsProbe),
  ]
  const claim = (which: 'free' | 'all'): Promise<ClaimedRow[]> => db.query<ClaimedRow>(CLAIM[which], values)
  // A probe is one row, whatever has become of it: left, it would pause its subscription for nothing.
  const isProbe = ready.some(({ needsProbe }) => needsProbe)
  const rows = await claim(isProbe ? 'all' : 'free')
  if (rows.some(({ isLeft }) => isLeft)) addAll(rows, await claim('all'))
  const taken = rows.filter(row => !row.isLeft)
  try {
    return await complete(db, ready, taken)
  } catch (error) {
    // None was attempted: they are due again at once, and not in 40 seconds.
    await releaseAll(db, taken)
    throw error
  }
}

/** With what is sent, and where to. What is paused since it was found is given back: its circuit has just opened. */
async function complete(db: Database, ready: readonly Ready[], taken: readonly Taken[]): Promise<Claimed[]> {
  const [events, targets] = await Promise.all([readEvents(db, taken), readTargets(db, taken)])
  const allowed = new Set(
    ready.filter(({ isPaused, needsProbe }) => isPaused || needsProbe).map(({ webhookId }) => webhookId),
  )
  const claims = taken.map(({ webhookId, ...row }) => {
    const webhook = targets.get(webhookId)
    const event = events.get(row.eventId)
    assert(webhook !== undefined && event !== undefined, 'a delivery has a subscription and an event')
    return { ...event, ...row, webhook }
  })
  const isShut = ({ webhook: { id, isPaused, isDisabled } }: Claimed): boolean =>
    isPaused && !isDisabled && !allowed.has(id)
  await releaseAll(db, claims.filter(isShut))
  return claims.filter(claimed => !isShut(claimed))
}

async function readEvents(db: Database, taken: readonly Taken[]): Promise<ReadonlyMap<string, ClaimedEvent>> {
  if (taken.length === 0) return new Map()
  const unique = <Value>(read: (row: Taken) => Value): Value[] => [...new Set(taken.map(read))]
  const institutes = oneOf(
    'e.institute_id',
    unique(({ instituteId }) => instituteId),
  )
  const ids = oneOf(
    'e.id',
    unique(({ eventId }) => eventId),
    2,
  )
  const events = await db.query<ClaimedEvent>(eventsOf(institutes.is, ids.is), [institutes.value, ids.value])
  return new Map(events.map(event => [event.eventId, event]))
}
