import { assert } from '../platform/assert.ts'
import type { Database, Transaction } from '../platform/db.ts'
import { CIRCUIT_OPENS_AT, type DeliveryState, type Health } from './deliveries.rules.ts'
import type { DeliverableEvent } from './delivery-body.ts'

/** A delivery that this worker holds: nobody else attempts or finishes it until its claim runs out. */
export type Claimed = {
  instituteId: number
  id: string
  claim: number
  /** Of its row in the table, as long as nobody else changes it. */
  place: string
  failures: number
  event: DeliverableEvent
  webhook: Target
}

/** Where a subscription's deliveries go at this moment; those of one batch share it. */
export type Target = {
  id: string
  url: string
  /** Of the address: its endpoint. */
  origin: string
  isDisabled: boolean
  /** Its circuit is open, or it asked for a pause: only a probe goes there. */
  isPaused: boolean
  secretSealed: Buffer | null
  /** Null once its day is over. */
  previousSecretSealed: Buffer | null
  headerKey: string | null
  headerValueSealed: Buffer | null
}

type ClaimedRow = Omit<Claimed, 'event' | 'webhook'> & {
  webhookId: string
  eventId: string
  code: string
  occurredAt: Date
  sequence: number
  payloadJson: string
}

/** The longest attempt and its bookkeeping fit in well; a worker that died is followed by another after it. */
const LEASE = `interval '40 seconds'`

/** The attempts with one more, of which we know only when it was claimed. */
const WITH_INTERRUPTED = `d.attempts || jsonb_build_object(
  'attempted_at', to_char((d.claimed_until - ${LEASE}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'problem', 'The attempt was interrupted; whether it arrived is not known.')`

/** How many more the subscriptions of one endpoint may be given between them. */
export type Room = { origin: string; room: number }

/**
 * Takes what is due, subscription by subscription rather than in the order of time: behind the backlog of a slow
 * endpoint, time order would read past all of it to find the next one's delivery. The recursive part skips from one
 * subscription that has something waiting to the next, so its cost is their number and not that of their deliveries.
 * Subscriptions of one endpoint share its room. With the circuit open a subscription gets one probe, and the pause
 * that the probe puts on it keeps others away. A row with a claim on it was held by a worker that is gone: its attempt
 * is written down as interrupted.
 */
const CLAIM = `
  with recursive waiting as (
    (select institute_id, webhook_id, next_attempt_at from webhook_deliveries where next_attempt_at is not null
     order by institute_id, webhook_id, next_attempt_at limit 1)
    union all
    select next.* from waiting w cross join lateral (
      select institute_id, webhook_id, next_attempt_at from webhook_deliveries
      where next_attempt_at is not null and (institute_id, webhook_id) > (w.institute_id, w.webhook_id)
      order by institute_id, webhook_id, next_attempt_at limit 1) next
  ), ready as (
    select s.institute_id, s.id as webhook_id,
      ceil(coalesce(busy.room, $2)::float8 / count(*) over (partition by s.origin))::int as room,
      s.failures_in_row >= ${CIRCUIT_OPENS_AT} and s.disabled_at is null as is_open
    from waiting w
    join webhook_subscriptions s on s.institute_id = w.institute_id and s.id = w.webhook_id
    left join unnest($3::text[], $4::int[]) as busy (origin, room) on busy.origin = s.origin
    where w.next_attempt_at <= now() and coalesce(busy.room, $2) > 0
      and (s.paused_until is null or s.paused_until <= now() or s.disabled_at is not null)
    order by random()
  ), probing as (
    update webhook_subscriptions s set paused_until = now() + ${LEASE} from ready r
    where r.is_open and s.institute_id = r.institute_id and s.id = r.webhook_id
      and (s.paused_until is null or s.paused_until <= now())
    returning s.id
  ), due as (
    select d.place
    from (select r.*, case when r.is_open then (select count(*) from probing p where p.id = r.webhook_id) else r.room end as take
          from ready r) r
    cross join lateral (
      select ctid as place from webhook_deliveries
      where institute_id = r.institute_id and webhook_id = r.webhook_id and next_attempt_at <= now()
        and (claimed_until is null or claimed_until <= now())
      order by next_attempt_at limit r.take for update skip locked) d
    limit $1
  )
  update webhook_deliveries d set claimed_until = now() + ${LEASE}, claim = (select nextval('webhook_claims')),
    attempts = case when d.claim is null then d.attempts else ${WITH_INTERRUPTED} end
  from due, events e
  where d.ctid = due.place and e.institute_id = d.institute_id and e.id = d.event_id
  returning d.institute_id as "instituteId", d.id, d.claim, d.ctid::text as place, d.failures, d.webhook_id as "webhookId", e.id as "eventId",
    e.event_code as code, e.occurred_at as "occurredAt", e.sequence, e.payload::text as "payloadJson"`

export async function claimDue(
  db: Database,
  { limit, roomEach, busy }: { limit: number; roomEach: number; busy: readonly Room[] },
): Promise<Claimed[]> {
  const rows = await db.query<ClaimedRow>(CLAIM, [
    limit,
    roomEach,
    busy.map(({ origin }) => origin),
    busy.map(({ room }) => room),
  ])
  const targets = await readTargets(db, rows)
  return rows.map(row => {
    const { instituteId, id, claim, place, failures, eventId, code, occurredAt, sequence, payloadJson } = row
    const webhook = targets.get(row.webhookId)
    assert(webhook !== undefined, 'a delivery has a subscription')
    const event = { id: eventId, code, occurredAt, sequence, payloadJson }
    return { instituteId, id, claim, place, failures, event, webhook }
  })
}

/** How subscriptions are at this moment, by id. */
export async function readTargets(
  db: Database,
  keys: readonly { instituteId: number; webhookId: string }[],
): Promise<Map<string, Target>> {
  if (keys.length === 0) return new Map()
  const institutes = new Map(keys.map(({ webhookId, instituteId }) => [webhookId, instituteId]))
  const rows = await db.query<Target>(
    `select id, url, origin, disabled_at is not null as "isDisabled",
       coalesce(paused_until > now(), false) as "isPaused", secret_sealed as "secretSealed",
       case when previous_secret_until > now() then previous_secret_sealed end as "previousSecretSealed",
       header_key as "headerKey", header_value_sealed as "headerValueSealed"
     from webhook_subscriptions
     where (institute_id, id) in (select * from unnest($1::int[], $2::text[]))`,
    [[...institutes.values()], [...institutes.keys()]],
  )
  return new Map(rows.map(row => [row.id, row]))
}

export type AttemptRecord = {
  attempted_at: string
  duration_ms?: number
  http_status?: number
  problem?: string
  response?: string
}

export type Finish = {
  claimed: Claimed
  state: DeliveryState
  failures: number
  nextInMs: number | null
  attempt: AttemptRecord | null
}

/** Only the holder of a claim finishes it; one cancelled meanwhile stays so, unless it arrived after all. */
const finish = (where: string): string => `
  with finished as (
    update webhook_deliveries d set claim = null, claimed_until = null, failures = r.failures, attempts = d.attempts || r.attempt,
      state = case when d.state = 'cancelled' and r.state <> 'delivered' then 'cancelled' else r.state end,
      next_attempt_at = case when d.state = 'cancelled' then null else now() + r.next_ms * interval '1 millisecond' end
    from unnest(string_to_array($1, ',')::int[], string_to_array($2, ','), string_to_array($3, ',')::bigint[],
        string_to_array($4, ';')::tid[], string_to_array($5, ','), string_to_array($6, ',')::int[],
        string_to_array($7, ',', '')::bigint[], string_to_array($8, e'\\n')::jsonb[])
      as r (institute_id, id, claim, place, state, failures, next_ms, attempt)
    where ${where}d.institute_id = r.institute_id and d.id = r.id and d.claim = r.claim
    returning 1
  )
  select count(*) from finished`
const FINISH_IN_PLACE = finish('d.ctid = r.place and ')
const FINISH_MOVED = finish('')

/**
 * Looks for the rows where they were when they were claimed, at half the cost of looking for them by their ids. Where
 * one was changed since, as by disabling its subscription, those that are left are looked for everywhere.
 */
export async function finishAll(tx: Transaction, finishes: readonly Finish[]): Promise<void> {
  // Joined, as arrays would be quoted item by item. None of them has its separator in it, and JSON no line break.
  const values = [
    finishes.map(({ claimed }) => claimed.instituteId).join(),
    finishes.map(({ claimed }) => claimed.id).join(),
    finishes.map(({ claimed }) => claimed.claim).join(),
    finishes.map(({ claimed }) => claimed.place).join(';'),
    finishes.map(({ state }) => state).join(),
    finishes.map(({ failures }) => failures).join(),
    finishes.map(({ nextInMs }) => nextInMs).join(),
    finishes.map(({ attempt }) => JSON.stringify(attempt === null ? [] : [attempt])).join('\n'),
  ]
  const [row] = await tx.query<{ count: number }>(FINISH_IN_PLACE, values)
  if (row?.count !== finishes.length) await tx.query(FINISH_MOVED, values)
}

/** Gives back what was claimed: not attempted, or on its way when we had to leave. */
export async function releaseAll(
  db: Database,
  claims: readonly Claimed[],
  { areOut }: { areOut: boolean } = { areOut: false },
): Promise<void> {
  if (claims.length === 0) return
  await db.query(
    `update webhook_deliveries d set claim = null, claimed_until = null${areOut ? `, attempts = ${WITH_INTERRUPTED}` : ''}
     from unnest($1::int[], $2::text[], $3::bigint[]) as r (institute_id, id, claim)
     where d.institute_id = r.institute_id and d.id = r.id and d.claim = r.claim`,
    [
      claims.map(({ instituteId }) => instituteId),
      claims.map(({ id }) => id),
      claims.map(({ claim }) => claim),
    ],
  )
}

export type SubscriptionHealth = Health & { instituteId: number; webhookId: string }

/** Locks the subscriptions whose count may change: those that failed just now, and those that were failing. */
export async function lockHealth(
  tx: Transaction,
  attempted: readonly { instituteId: number; webhookId: string; hasFailed: boolean }[],
): Promise<SubscriptionHealth[]> {
  return tx.query<SubscriptionHealth>(
    `select s.institute_id as "instituteId", s.id as "webhookId", s.failures_in_row as "failuresInRow",
       s.failing_since as "failingSince"
     from webhook_subscriptions s
     join unnest($1::int[], $2::text[], $3::bool[]) as a (institute_id, id, has_failed)
       on a.institute_id = s.institute_id and a.id = s.id
     where s.disabled_at is null and (a.has_failed or s.failures_in_row > 0)
     order by s.institute_id, s.id for update of s`,
    [
      attempted.map(({ instituteId }) => instituteId),
      attempted.map(({ webhookId }) => webhookId),
      attempted.map(({ hasFailed }) => hasFailed),
    ],
  )
}

export async function writeHealth(
  tx: Transaction,
  changes: readonly (SubscriptionHealth & { pauseMs: number | null; keepsPause: boolean })[],
): Promise<void> {
  await tx.query(
    `update webhook_subscriptions s set failures_in_row = h.failures, failing_since = h.since,
       paused_until = greatest(case when h.keeps then s.paused_until end, now() + h.pause_ms * interval '1 millisecond')
     from unnest($1::int[], $2::text[], $3::int[], $4::timestamptz[], $5::bigint[], $6::bool[])
       as h (institute_id, id, failures, since, pause_ms, keeps)
     where s.institute_id = h.institute_id and s.id = h.id`,
    [
      changes.map(({ instituteId }) => instituteId),
      changes.map(({ webhookId }) => webhookId),
      changes.map(({ failuresInRow }) => failuresInRow),
      changes.map(({ failingSince }) => failingSince),
      changes.map(({ pauseMs }) => pauseMs),
      changes.map(({ keepsPause }) => keepsPause),
    ],
  )
}
