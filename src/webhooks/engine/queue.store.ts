import { isDeepStrictEqual } from 'node:util'
import type { OwedDeliveries } from '../../events/define-event.ts'
import { assert } from '../../platform/assert.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { institutesOf, isHere, nameRows, oneOf } from '../../platform/db/query.ts'
import {
  CIRCUIT_OPENS_AT,
  type DeliverableEvent,
  type DeliveryState,
} from '../delivery-log/deliveries.rules.ts'

/**
 * The queue of deliveries, in the order of a delivery's way: it is found, claimed, and read with its event and where it
 * goes; or it is claimed by the transaction that makes it. Then its result is written, or it is given back.
 */

/** A delivery that this worker holds: nobody else attempts or finishes it until its claim runs out. */
export type ClaimedDelivery = DeliverableEvent & {
  instituteId: number
  id: string
  claim: number
  /** The row's ctid in the queue. */
  place: string
  failures: number
  /** The trace of what caused the event; null: not traced. */
  traceParent: string | null
  webhook: DeliveryTarget
}

/** Where a subscription's deliveries go at this moment; those of one batch share it. */
export type DeliveryTarget = {
  id: string
  url: string
  /** The endpoint that the address names. */
  origin: string
  isDisabled: boolean
  /** Its circuit is open, or it asked for a pause: only a probe goes there, and what somebody asked for. */
  isPaused: boolean
  secretSealed: Buffer | null
  /** Null once its day is over. */
  previousSecretSealed: Buffer | null
  headerKey: string | null
  headerValueSealed: Buffer | null
}

/** The longest attempt and its bookkeeping fit in well; a worker that died is followed by another after it. */
const LEASE_MS = 40_000
const LEASE = `interval '${LEASE_MS} milliseconds'`

/** When a delivery is due that somebody asked for by hand: before all others, and although its subscription is paused. */
export const ASKED_FOR = `'-infinity'::timestamptz`

const PAUSED = `coalesce(s.paused_until > now(), false)`

/** How many more deliveries the subscriptions of one endpoint may be given between them. */
export type OriginRoom = { origin: string; room: number }

/** A subscription that something may be sent to now, and how much. */
type ReadySubscription = {
  instituteId: number
  webhookId: string
  room: number
  /** It only gets what somebody asked for by hand. */
  isPaused: boolean
  needsProbe: boolean
}

/**
 * A loose index scan: the queue is looked up once for each subscription that has something in it, so neither those with
 * nothing to send nor a long backlog cost anything. Subscriptions of one endpoint share its room; a disabled one needs
 * none, as what it has left is only cancelled. Those that want a probe come first, so that none is paused for a probe
 * that a limit cuts off; the others in any order.
 */
const FIND = `
  with recursive waiting as (
    (select institute_id, webhook_id, next_attempt_at as first_at from webhook_queue
     order by institute_id, webhook_id, next_attempt_at limit 1)
    union all
    select next.* from waiting w cross join lateral (
      select institute_id, webhook_id, next_attempt_at from webhook_queue
      where (institute_id, webhook_id) > (w.institute_id, w.webhook_id)
      order by institute_id, webhook_id, next_attempt_at limit 1) next)
  select s.institute_id as "instituteId", s.id as "webhookId",
    ceil(coalesce(busy.room, $1)::numeric / count(*) over (partition by s.origin))::int as room,
    ${PAUSED} and s.disabled_at is null as "isPaused",
    s.failures_in_row >= ${CIRCUIT_OPENS_AT} and s.disabled_at is null and not ${PAUSED} as "needsProbe"
  from waiting w join webhook_subscriptions s on s.institute_id = w.institute_id and s.id = w.webhook_id
  left join unnest($2::text[], $3::int[]) as busy (origin, room) on busy.origin = s.origin and s.disabled_at is null
  where first_at <= now() and coalesce(busy.room, $1) > 0
    and (not ${PAUSED} or s.disabled_at is not null or first_at = ${ASKED_FOR})
    and ${isHere('s.institute_id')}
  order by "needsProbe" desc, random()`

async function findReady(
  db: Database,
  { roomEach, busy }: { roomEach: number; busy: readonly OriginRoom[] },
): Promise<ReadySubscription[]> {
  return db.query<ReadySubscription>(FIND, [
    roomEach,
    busy.map(({ origin }) => origin),
    busy.map(({ room }) => room),
  ])
}

/** The database's snapshot if its queue is empty, else null: while the snapshot is the same, the queue is still empty. */
export async function readIfEmpty(db: Database): Promise<string | null> {
  const [row] = await db.query<{ snapshot: string }>(
    `select pg_current_snapshot()::text as snapshot where not exists (select from webhook_queue)`,
  )
  return row?.snapshot ?? null
}

type ClaimOptions = { limit: number; roomEach: number; busy: readonly OriginRoom[] }

/** Finds what can be sent now and claims it; `mayBeMore` when the limit cut it off. */
export async function claimDue(
  db: Database,
  { limit, roomEach, busy }: ClaimOptions,
): Promise<{ claims: ClaimedDelivery[]; mayBeMore: boolean }> {
  const ready = await findReady(db, { roomEach, busy })
  if (ready.length === 0) return { claims: [], mayBeMore: false }
  const rows = await db.transaction(tx => claim(tx, ready, limit))
  try {
    const claims = await complete(db, rows)
    // A subscription may have been paused since it was found: only a probe and what somebody asked for goes there.
    const isShut = ({ webhook: { isPaused, isDisabled }, mayBePaused }: (typeof claims)[number]): boolean =>
      isPaused && !isDisabled && !mayBePaused
    await giveBack(db, claims.filter(isShut))
    const open = claims.filter(claimed => !isShut(claimed))
    return { claims: open, mayBeMore: open.length === limit }
  } catch (error) {
    // None was attempted: they are due again at once, and not in 40 seconds.
    await giveBack(db, rows)
    throw error
  }
}

/** No claim is larger, so the planner need not fear it. */
export const CLAIM_AT_ONCE = 1_500

/**
 * The pause that a probe puts on its subscription keeps others away, and a subscription that somebody else has locked is
 * passed by. Who is free to be probed is found by a query that is run once: within the update, a join could run it again
 * and pass by those that it has just paused.
 *
 * `offset 0` and `(select $6)` hide from the planner how much is asked for, or it would make a plan for these numbers each
 * time, which takes longer than the claim. The places in the queue are named twice: for the join alone it would read the
 * whole queue.
 */
const CLAIM = `
  with given as materialized (
    select $1::int[] as institutes, $2::text[] as webhooks, $3::int[] as rooms, $4::boolean[] as paused, $5::boolean[] as probes
    offset 0
  ), ready as materialized (
    select r.* from given cross join lateral unnest(institutes, webhooks, rooms, paused, probes)
      as r (institute_id, webhook_id, room, is_paused, needs_probe)
  ), free as materialized (
    select s.institute_id, s.id from webhook_subscriptions s join ready r on s.institute_id = r.institute_id and s.id = r.webhook_id
    where r.needs_probe and not ${PAUSED} limit (select $6::int) for no key update of s skip locked
  ), probing as (
    update webhook_subscriptions p set paused_until = now() + ${LEASE} from free
    where p.institute_id = free.institute_id and p.id = free.id
    returning p.institute_id, p.id
  ), due as (
    select * from (
      select r.institute_id, d.place, r.is_paused or r.needs_probe as may_be_paused
      from (select r.*, case when r.needs_probe then (select count(*) from probing p
              where p.institute_id = r.institute_id and p.id = r.webhook_id) else r.room end as take
            from ready r) r
      cross join lateral (
        select q.ctid as place from webhook_queue q
        where q.institute_id = r.institute_id and q.webhook_id = r.webhook_id
          and q.next_attempt_at <= case when r.is_paused then ${ASKED_FOR} else now() end
          and (q.claimed_until is null or q.claimed_until <= now())
        order by q.next_attempt_at limit r.take for update skip locked) d
      limit ${CLAIM_AT_ONCE}) d
    limit (select $6::int)
  ), claimed as (
    update webhook_queue q set claimed_until = now() + ${LEASE}, claim = (select nextval('webhook_claims'))
    from due where q.institute_id = due.institute_id and q.ctid = due.place and q.ctid = any (array(select place from due))
    returning q.*, q.ctid as place, due.may_be_paused, old.claimed_until as lost_claim
  )
  select institute_id as "instituteId", delivery_id as id, claim, place, failures, webhook_id as "webhookId",
    event_id as "eventId", may_be_paused as "mayBePaused", lost_claim as "lostClaim"
  from claimed`

/** A row of the queue that this worker holds. */
type ClaimedRow = Omit<ClaimedDelivery, 'webhook' | keyof EventToSend> & {
  eventId: string
  webhookId: string
  mayBePaused: boolean
  lostClaim: Date | null
}

/** A row with a claim on it was held by a worker that is gone: its attempt is written down as interrupted. */
async function claim(
  tx: Transaction,
  ready: readonly ReadySubscription[],
  limit: number,
): Promise<ClaimedRow[]> {
  const rows = await tx.query<ClaimedRow>(CLAIM, [
    ready.map(({ instituteId }) => instituteId),
    ready.map(({ webhookId }) => webhookId),
    ready.map(({ room }) => room),
    ready.map(({ isPaused }) => isPaused),
    ready.map(({ needsProbe }) => needsProbe),
    limit,
  ])
  await writeInterrupted(tx, rows)
  return rows
}

/** Adds what is sent, and where to as of now. */
async function complete(
  db: Database,
  rows: readonly ClaimedRow[],
): Promise<(ClaimedDelivery & { mayBePaused: boolean })[]> {
  const [events, targets] = await Promise.all([readEvents(db, rows), readTargets(db, rows)])
  return rows.map(({ webhookId, lostClaim: _lostClaim, ...row }) => {
    const webhook = targets.get(webhookId)
    const event = events.get(row.eventId)
    assert(webhook !== undefined && event !== undefined, 'a delivery has a subscription and an event')
    return { ...event, ...row, webhook }
  })
}

type EventToSend = DeliverableEvent & Pick<ClaimedDelivery, 'traceParent'>

/** Reads by ids, so that PostgreSQL opens only the months that they are in. An event of many deliveries is read once. */
async function readEvents(
  db: Database,
  rows: readonly ClaimedRow[],
): Promise<ReadonlyMap<string, EventToSend>> {
  if (rows.length === 0) return new Map()
  const institutes = oneOf('e.institute_id', institutesOf(rows))
  const ids = oneOf('e.id', [...new Set(rows.map(({ eventId }) => eventId))], 2)
  const events = await db.query<EventToSend>(
    `select e.id as "eventId", e.event_code as "eventCode",
       floor(date_part('epoch', e.occurred_at))::bigint as timestamp, e.sequence, e.payload::text as "payloadJson",
       e.trace_parent as "traceParent"
     from events e where ${institutes.is} and ${ids.is}`,
    [institutes.value, ids.value],
  )
  return new Map(events.map(event => [event.eventId, event]))
}

/** JSON carries sealed fields in hexadecimal. */
type SealedTarget = Omit<DeliveryTarget, SealedField> & Record<SealedField, string | null>
type SealedField = 'secretSealed' | 'previousSecretSealed' | 'headerValueSealed'

const TARGET = `json_build_object('id', s.id, 'url', s.url, 'origin', s.origin,
  'isDisabled', s.disabled_at is not null, 'isPaused', ${PAUSED}, 'secretSealed', encode(s.secret_sealed, 'hex'),
  'previousSecretSealed', case when s.previous_secret_until > now() then encode(s.previous_secret_sealed, 'hex') end,
  'headerKey', s.header_key, 'headerValueSealed', encode(s.header_value_sealed, 'hex'))`

/** How these subscriptions are at this moment, by their ids. */
async function readTargets(
  db: Database,
  keys: readonly { instituteId: number; webhookId: string }[],
): Promise<ReadonlyMap<string, DeliveryTarget>> {
  if (keys.length === 0) return new Map()
  const each = new Map(keys.map(({ instituteId, webhookId }) => [webhookId, { instituteId, id: webhookId }]))
  const these = nameRows([...each.values()], 1)
  const rows = await db.query<{ target: SealedTarget }>(
    `select ${TARGET} as target from webhook_subscriptions s where ${these.match('s')}`,
    these.values,
  )
  return new Map(rows.map(({ target }) => [target.id, decodeTarget(target)]))
}

const fromHex = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text, 'hex'))

function decodeTarget(target: SealedTarget): DeliveryTarget {
  return {
    ...target,
    secretSealed: fromHex(target.secretSealed),
    previousSecretSealed: fromHex(target.previousSecretSealed),
    headerValueSealed: fromHex(target.headerValueSealed),
  }
}

/** Subscriptions that are not any more as they were when these were claimed. */
export async function findChanged(db: Database, held: readonly ClaimedDelivery[]): Promise<DeliveryTarget[]> {
  const keys = held.map(({ instituteId, webhook }) => ({ instituteId, webhookId: webhook.id }))
  const targets = await readTargets(db, keys)
  return held
    .map(({ webhook }) => webhook)
    .filter(webhook => !isDeepStrictEqual(webhook, targets.get(webhook.id)))
}

/**
 * Claimed from the start and with their targets, unless the subscription is paused, its circuit open, or the endpoint one
 * of those that are crowded: then a look decides.
 */
const QUEUE_OWED = `
  with owed as materialized (
    select o.*, ${TARGET} as target, s.origin <> all ($5::text[]) and s.disabled_at is null and not ${PAUSED}
      and s.failures_in_row < ${CIRCUIT_OPENS_AT} as is_open
    from unnest($2::text[], $3::text[], $4::text[]) as o (id, webhook_id, event_id)
    join webhook_subscriptions s on s.institute_id = $1 and s.id = o.webhook_id
  ), queued as (
    insert into webhook_queue (institute_id, delivery_id, webhook_id, event_id, claimed_until, claim)
    select $1, id, webhook_id, event_id, case when is_open then clock_timestamp() + ${LEASE} end,
      case when is_open then nextval('webhook_claims') end
    from owed
    returning delivery_id, event_id, claim, ctid as place, failures)
  select q.delivery_id as id, q.event_id as "eventId", q.claim, q.place, q.failures, o.target
  from queued q join owed o on o.id = q.delivery_id`

type QueuedRow = Pick<ClaimedDelivery, 'id' | 'eventId' | 'place' | 'failures'> & {
  claim: number | null
  target: SealedTarget
}

/** What became of deliveries that were handed over: this process holds them, or a look has to find them. */
export type HandedOver = { claims: ClaimedDelivery[]; left: DeliveryTarget[] }

/**
 * Leaves with the commit, so that subscriptions are as they are at that moment: nobody has to read them again before the
 * attempt.
 */
export function queueClaimed(
  tx: Transaction,
  { instituteId, owed, events }: OwedDeliveries,
  crowded: readonly string[],
  onCommitted: (handed: HandedOver) => void,
): void {
  const byId = new Map(events.map(event => [event.id, event]))
  tx.endWith<QueuedRow>(
    QUEUE_OWED,
    [
      instituteId,
      owed.map(({ id }) => id),
      owed.map(({ webhookId }) => webhookId),
      owed.map(({ eventId }) => eventId),
      crowded,
    ],
    rows => {
      const handed: HandedOver = { claims: [], left: [] }
      for (const { claim, target, ...row } of rows) {
        const webhook = decodeTarget(target)
        const event = byId.get(row.eventId)
        assert(event !== undefined, 'a delivery is of an event that was recorded with it')
        if (claim === null) handed.left.push(webhook)
        else {
          const { code: eventCode, sequence, occurredAt, payloadJson, traceParent } = event
          const timestamp = Math.floor(occurredAt.getTime() / 1_000)
          const sent = { eventCode, timestamp, sequence, payloadJson, traceParent }
          handed.claims.push({ ...row, ...sent, instituteId, claim, webhook })
        }
      }
      onCommitted(handed)
    },
  )
}

export type AttemptRecord = {
  attempted_at: string
  duration_ms?: number
  http_status?: number
  problem?: string
  response?: string
}

export type Finish = {
  claimed: ClaimedDelivery
  state: DeliveryState
  failures: number
  nextInMs: number | null
  attempt: AttemptRecord | null
}

/**
 * Only the holder of a claim finishes it. Nobody else changes a row with a claim on it, so it stands where it stood when
 * it was claimed: looking for it there costs half of looking for it by its id.
 */
const LEAVE_QUEUE = `
  with result as materialized (
    select *, now() + next_ms * interval '1 millisecond' as next_at
    from unnest($1::int[], $2::bigint[], $3::tid[], $4::int[], $5::bigint[]) as r (institute_id, claim, place, failures, next_ms)
  ), over as (
    delete from webhook_queue q using result r
    where q.institute_id = any ($6::int[]) and q.institute_id = r.institute_id and r.next_ms is null and q.ctid = r.place and q.claim = r.claim
    returning q.delivery_id, q.claim
  ), again as (
    update webhook_queue q set claim = null, claimed_until = null, failures = r.failures, next_attempt_at = r.next_at
    from result r
    where q.institute_id = any ($6::int[]) and q.institute_id = r.institute_id and r.next_ms is not null and q.ctid = r.place and q.claim = r.claim
    returning q.delivery_id, r.claim
  )
  select delivery_id as id, claim from over union all select delivery_id, claim from again`

/**
 * The deliveries are named twice, so that only their months are looked into. It is a statement of its own because the
 * planner takes what another writes for a single row, and would compare all of them with all deliveries; of lines it
 * expects many, and builds a hash table.
 */
const WRITE_RESULTS = `
  with result as materialized (
    select r.institute_id, r.id, r.state, r.attempt::jsonb as attempt, case when r.state = 'exhausted' then now() end as given_up_at
    from rows from (unnest($1::int[], $2::text[], $3::text[]), string_to_table($4, e'\\n')) as r (institute_id, id, state, attempt)
  )
  update webhook_deliveries d set state = r.state, attempts = d.attempts || r.attempt, given_up_at = r.given_up_at
  from result r
  where d.institute_id = any ($5::int[]) and d.institute_id = r.institute_id and d.id = r.id and d.id = any ($2)`

/** A few results are written one by one: PostgreSQL keeps the plan of that statement, and plans the one for many anew each time. */
const FEW = 4
const WRITE_RESULT = `
  update webhook_deliveries set state = $3, attempts = attempts || $4::jsonb,
    given_up_at = case when $3 = 'exhausted' then now() end
  where institute_id = $1 and id = $2`

async function writeResults(tx: Transaction, finishes: readonly Finish[]): Promise<void> {
  const attemptsOf = ({ attempt }: Finish): string => JSON.stringify(attempt === null ? [] : [attempt])
  if (finishes.length <= FEW) {
    const written = finishes.map(finish => {
      const { instituteId, id } = finish.claimed
      return tx.query(WRITE_RESULT, [instituteId, id, finish.state, attemptsOf(finish)])
    })
    await Promise.all(written)
    return
  }
  await tx.query(WRITE_RESULTS, [
    finishes.map(({ claimed }) => claimed.instituteId),
    arrayOf(finishes, ({ claimed }) => claimed.id),
    arrayOf(finishes, ({ state }) => state),
    // JSON has no line break in it.
    finishes.map(attemptsOf).join('\n'),
    institutesOf(finishes.map(({ claimed }) => claimed)),
  ])
}

/** Answers which of them did not arrive, but for those that were not ours any more. */
export async function finishAll(tx: Transaction, finishes: readonly Finish[]): Promise<Set<string>> {
  // Written as PostgreSQL writes arrays, as the client would quote item by item.
  const rows = await tx.query<Pick<ClaimedDelivery, 'id' | 'claim'>>(LEAVE_QUEUE, [
    finishes.map(({ claimed }) => claimed.instituteId),
    arrayOf(finishes, ({ claimed }) => claimed.claim),
    arrayOf(finishes, ({ claimed }) => `"${claimed.place}"`),
    arrayOf(finishes, ({ failures }) => failures),
    arrayOf(finishes, ({ nextInMs }) => nextInMs ?? 'null'),
    institutesOf(finishes.map(({ claimed }) => claimed)),
  ])
  const left = new Map(rows.map(({ id, claim }) => [id, claim]))
  const ours = finishes.filter(({ claimed }) => left.get(claimed.id) === claimed.claim)
  await writeResults(tx, ours)
  return new Set(ours.filter(({ state }) => state !== 'delivered').map(({ claimed }) => claimed.id))
}

function arrayOf(finishes: readonly Finish[], read: (finish: Finish) => string | number): string {
  return `{${finishes.map(read).join()}}`
}

type HeldRow = Pick<ClaimedDelivery, 'instituteId' | 'id' | 'claim'>
type LostRow = { instituteId: number; id: string; lostClaim: Date | null }

/** Gives back what was claimed and not attempted. */
export async function giveBack(db: Queryable, claims: readonly HeldRow[]): Promise<LostRow[]> {
  if (claims.length === 0) return []
  return db.query<LostRow>(
    `update webhook_queue q set claim = null, claimed_until = null
     from unnest($1::int[], $2::text[], $3::bigint[]) as r (institute_id, id, claim)
     where q.institute_id = any ($4::int[]) and q.institute_id = r.institute_id and q.delivery_id = r.id and q.claim = r.claim
     returning q.institute_id as "instituteId", q.delivery_id as id, old.claimed_until as "lostClaim"`,
    [
      claims.map(({ instituteId }) => instituteId),
      claims.map(({ id }) => id),
      claims.map(({ claim: number }) => number),
      institutesOf(claims),
    ],
  )
}

/** Gives back what is on its way when we have to leave: it is made again, and this attempt is on record. */
export async function giveBackInterrupted(db: Database, claims: readonly HeldRow[]): Promise<void> {
  if (claims.length > 0) await db.transaction(async tx => writeInterrupted(tx, await giveBack(tx, claims)))
}

/** We know only when an attempt was claimed if its worker is gone. */
async function writeInterrupted(tx: Transaction, rows: readonly LostRow[]): Promise<void> {
  const lost = rows.flatMap(({ lostClaim, ...row }) => (lostClaim === null ? [] : [{ ...row, lostClaim }]))
  if (lost.length === 0) return
  const attempts = lost.map(({ lostClaim }) => ({
    attempted_at: new Date(lostClaim.getTime() - LEASE_MS).toISOString(),
    problem: 'The attempt was interrupted; whether it arrived is not known.',
  }))
  await tx.query(
    `update webhook_deliveries d set attempts = d.attempts || r.attempt::jsonb
     from unnest($1::int[], $2::text[], $3::text[]) as r (institute_id, id, attempt)
     where d.institute_id = any ($4::int[]) and d.institute_id = r.institute_id and d.id = r.id and d.id = any ($2)`,
    [
      lost.map(({ instituteId }) => instituteId),
      lost.map(({ id }) => id),
      attempts.map(attempt => JSON.stringify(attempt)),
      institutesOf(lost),
    ],
  )
}
