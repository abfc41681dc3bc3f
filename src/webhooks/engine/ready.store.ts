import { isHere } from '../../platform/db/moving.ts'
import type { Database } from '../../platform/db/database.ts'
import { CIRCUIT_OPENS_AT } from '../delivery-log/deliveries.rules.ts'

/** When a delivery is due that somebody asked for by hand: before all others, and although its subscription is paused. */
export const ASKED_FOR = `'-infinity'::timestamptz`

export const PAUSED = `coalesce(s.paused_until > now(), false)`

/** How many more the subscriptions of one endpoint may be given between them. */
export type Room = { origin: string; room: number }

/** A subscription that something may be sent to now, and how much. */
export type Ready = {
  instituteId: number
  webhookId: string
  room: number
  /** Only what somebody asked for by hand. */
  isPaused: boolean
  needsProbe: boolean
  claim: number
}

type Waiting = Ready & { origin: string; turn: number }

/** Each subscription with something in the queue, and its first row: the queue is looked up once for each. */
const WAITING = `(
    with recursive waiting as (
      (select institute_id, webhook_id, next_attempt_at as first_at from webhook_queue
       order by institute_id, webhook_id, next_attempt_at limit 1)
      union all
      select next.* from waiting w cross join lateral (
        select institute_id, webhook_id, next_attempt_at from webhook_queue
        where (institute_id, webhook_id) > (w.institute_id, w.webhook_id)
        order by institute_id, webhook_id, next_attempt_at limit 1) next)
    select * from waiting) w
  join webhook_subscriptions s on s.institute_id = w.institute_id and s.id = w.webhook_id`

const IS_READY = `first_at <= now() and coalesce(busy.room, $1) > 0
  and (not ${PAUSED} or s.disabled_at is not null or first_at = ${ASKED_FOR})`

/** A disabled one needs no room, as what it has left is only cancelled. */
const LOOK = `
  select s.institute_id as "instituteId", s.id as "webhookId", s.origin, coalesce(busy.room, $1)::int as room,
    ${PAUSED} and s.disabled_at is null as "isPaused",
    s.failures_in_row >= ${CIRCUIT_OPENS_AT} and s.disabled_at is null and not ${PAUSED} as "needsProbe",
    random() as turn, (select nextval('webhook_claims')) as claim
  from ${WAITING}
  left join unnest($2::text[], $3::int[]) as busy (origin, room) on busy.origin = s.origin and s.disabled_at is null
  where ${IS_READY} and ${isHere('s.institute_id')}
  order by s.institute_id, s.id`

/**
 * The subscriptions to which something can be sent. Neither those with nothing to send nor a long backlog may cost
 * anything.
 *
 * Subscriptions of one endpoint share its room. With the circuit open a subscription gets one probe. Those come first, so
 * that none is paused for a probe that a limit cuts off; the others in any order.
 */
export async function findReady(
  db: Database,
  { roomEach, busy }: { roomEach: number; busy: readonly Room[] },
): Promise<Ready[]> {
  const ready = await db.query<Waiting>(LOOK, [
    roomEach,
    busy.map(({ origin }) => origin),
    busy.map(({ room }) => room),
  ])
  return shareRooms(ready).sort(
    (one, other) => Number(other.needsProbe) - Number(one.needsProbe) || one.turn - other.turn,
  )
}

function shareRooms(ready: readonly Waiting[]): Waiting[] {
  const byOrigin = Map.groupBy(ready, ({ origin }) => origin)
  return ready.map(one => ({
    ...one,
    room: Math.ceil(one.room / (byOrigin.get(one.origin)?.length ?? 1)),
  }))
}
