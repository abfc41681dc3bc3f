import type { Database } from '../../platform/db/database.ts'
import type { OverAll } from '../../platform/db/nodes.ts'
import { CIRCUIT_OPENS_AT } from '../delivery-log/deliveries.rules.ts'
import { addAll } from '../../platform/lists.ts'

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

type Place = { instituteId: number; webhookId: string }

/** A subscription with something in the queue, and how many rows of it were read to know that. */
type Seen = Ready & { origin: string; isReady: boolean; turn: number; rows: number }

const PAGE = 250
const MOST_PAGES = 8
const START: Place = { instituteId: 0, webhookId: '' }

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
    select *, 1 as rows from waiting) w
  join webhook_subscriptions s on s.institute_id = w.institute_id and s.id = w.webhook_id`

/** The next rows of the queue, whichever subscriptions they are of. */
const NEXT_ROWS: OverAll = among => `(
    select institute_id, webhook_id, min(next_attempt_at) as first_at, count(*)::int as rows
    from (
      select institute_id, webhook_id, next_attempt_at from webhook_queue
      where ${among('institute_id')} and (institute_id, webhook_id) > ($4::int, $5::text)
      order by institute_id, webhook_id, next_attempt_at limit ${PAGE}) next
    group by institute_id, webhook_id) w
  join webhook_subscriptions s on s.institute_id = w.institute_id and s.id = w.webhook_id`

/** All other subscriptions, of each the first row. */
const ALL_OTHERS: OverAll = among => `(
    select s.*, 0 as rows, (select min(q.next_attempt_at) from webhook_queue q
      where ${among('q.institute_id')} and q.institute_id = s.institute_id and q.webhook_id = s.id) as first_at
    from webhook_subscriptions s where ${among('s.institute_id')} and (s.institute_id, s.id) > ($4::int, $5::text)) s`

const IS_READY = `first_at <= now() and coalesce(busy.room, $1) > 0
  and (not ${PAUSED} or s.disabled_at is not null or first_at = ${ASKED_FOR})`

/** A disabled one needs no room, as what it has left is only cancelled. */
const look = (from: string, where: string): string => `
  select s.institute_id as "instituteId", s.id as "webhookId", s.origin, coalesce(busy.room, $1)::int as room, rows,
    ${PAUSED} and s.disabled_at is null as "isPaused",
    s.failures_in_row >= ${CIRCUIT_OPENS_AT} and s.disabled_at is null and not ${PAUSED} as "needsProbe",
    ${IS_READY} as "isReady", random() as turn, (select nextval('webhook_claims')) as claim
  from ${from}
  left join unnest($2::text[], $3::int[]) as busy (origin, room) on busy.origin = s.origin and s.disabled_at is null
  where ${where}
  order by s.institute_id, s.id`
const LOOK_AT_WAITING = look(WAITING, IS_READY)
const LOOK_AT_NEXT_ROWS: OverAll = among => look(NEXT_ROWS(among), among('s.institute_id'))
const LOOK_AT_ALL_OTHERS: OverAll = among => look(ALL_OTHERS(among), IS_READY)

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
  const rooms = [roomEach, busy.map(({ origin }) => origin), busy.map(({ room }) => room)]
  const ready = db.isDistributed ? await lookByPages(db, rooms) : await db.query<Seen>(LOOK_AT_WAITING, rooms)
  return shareRooms(ready).sort(
    (one, other) => Number(other.needsProbe) - Number(one.needsProbe) || one.turn - other.turn,
  )
}

/**
 * A distributed database takes no recursion over all institutes, so there the queue is read page by page, and behind a page
 * whose last subscription goes on, its other rows are skipped. When so many have a backlog that this takes too many pages,
 * the first row of every other subscription is looked for.
 */
async function lookByPages(db: Database, rooms: readonly unknown[]): Promise<Seen[]> {
  const ready: Seen[] = []
  let after = START
  for (let page = 1; page <= MOST_PAGES + 1; page++) {
    const text = page <= MOST_PAGES ? LOOK_AT_NEXT_ROWS : LOOK_AT_ALL_OTHERS
    const seen = await db.overAll<Seen>(text, [...rooms, after.instituteId, after.webhookId])
    addAll(
      ready,
      seen.filter(({ isReady }) => isReady),
    )
    after = seen.at(-1) ?? after
    if (seen.reduce((sum, { rows }) => sum + rows, 0) < PAGE) break
  }
  return ready
}

function shareRooms(ready: readonly Seen[]): Seen[] {
  const byOrigin = Map.groupBy(ready, ({ origin }) => origin)
  return ready.map(one => ({
    ...one,
    room: Math.ceil(one.room / (byOrigin.get(one.origin)?.length ?? 1)),
  }))
}
