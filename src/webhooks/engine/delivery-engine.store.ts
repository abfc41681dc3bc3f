import { assert } from '../../platform/assert.ts'
import { forEachInstitute } from '../../platform/jobs/claim.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { DeliveryState } from '../delivery-log/deliveries.rules.ts'
import type { DeliverableEvent } from './delivery-body.ts'
import { ASKED_FOR, findReady, PAUSED, type Ready, type Room } from './ready.store.ts'

/** A delivery that this worker holds: nobody else attempts or finishes it until its claim runs out. */
export type Claimed = {
  instituteId: number
  id: string
  claim: number
  /** Of its row in the queue. */
  place: string
  failures: number
  /** Of what caused the event; null: not traced. */
  traceParent: string | null
  webhook: Target
} & DeliverableEvent

/** Where a subscription's deliveries go at this moment; those of one batch share it. */
export type Target = {
  id: string
  url: string
  /** Of the address: its endpoint. */
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

/** By the id of the subscription. */
export type Targets = ReadonlyMap<string, Target>

/** Deliveries, and behind them their subscriptions, and whether rows were left whose claim had run out. */
type ClaimedRow =
  | (Omit<Claimed, 'webhook'> & { webhookId: string; target: null })
  | { target: SealedTarget | { isLeft: true } }

/** As it comes within JSON: what is sealed in hexadecimal. */
type SealedTarget = Omit<Target, 'secretSealed' | 'previousSecretSealed' | 'headerValueSealed'> &
  Record<'secretSealed' | 'previousSecretSealed' | 'headerValueSealed', string | null>

const targetJson = (
  isPaused: string,
): string => `json_build_object('id', s.id, 'url', s.url, 'origin', s.origin,
  'isDisabled', s.disabled_at is not null, 'isPaused', ${isPaused}, 'secretSealed', encode(s.secret_sealed, 'hex'),
  'previousSecretSealed', case when s.previous_secret_until > now() then encode(s.previous_secret_sealed, 'hex') end,
  'headerKey', s.header_key, 'headerValueSealed', encode(s.header_value_sealed, 'hex'))`

/** The longest attempt and its bookkeeping fit in well; a worker that died is followed by another after it. */
const LEASE = `interval '40 seconds'`

/** An attempt of which we know only when it was claimed. */
const interrupted = (claimedUntil: string): string => `jsonb_build_object(
  'attempted_at', to_char((${claimedUntil} - ${LEASE}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'problem', 'The attempt was interrupted; whether it arrived is not known.')`

/** Names them by arrays, as a join might read the whole log to find that there are none. */
const WRITE_LOST = `, lost as (
    update webhook_deliveries d set attempts = d.attempts || (select ${interrupted('t.lost_claim')} from taken t
      where t.institute_id = d.institute_id and t.delivery_id = d.id)
    where d.institute_id = $1
      and d.id = any (array(select t.delivery_id from taken t where t.lost_claim is not null))
  )`

/**
 * Takes them, of one institute. The pause that a probe puts on its subscription keeps others away, and a subscription
 * that somebody else has locked is passed by.
 *
 * A row with a claim on it was held by a worker that is gone: its attempt is written down as interrupted. That update
 * opens every month of the log, so it is part of the statement only where there may be such a row. The other leaves them
 * where they are and says that it saw some. The limit behind the events keeps the planner from merging all months of them
 * with the few that are taken.
 */
const claimText = (lost: { isTaken: boolean }): string => `
  with ready as materialized (
    select * from unnest($4::text[], $5::int[], $6::boolean[], $7::boolean[]) as r (webhook_id, room, is_paused, needs_probe)
  ), probing as (
    update webhook_subscriptions p set paused_until = now() + ${LEASE}
    where p.institute_id = $1 and p.id in (
      select s.id from webhook_subscriptions s join ready r on r.webhook_id = s.id
      where s.institute_id = $1 and r.needs_probe and not ${PAUSED} limit $2 for no key update of s skip locked)
    returning p.id
  ), due as (
    select d.place, d.claimed_until
    from (select r.*, case when r.needs_probe then (select count(*) from probing p where p.id = r.webhook_id) else r.room end as take
          from ready r) r
    cross join lateral (
      select ctid as place, claimed_until from webhook_queue
      where institute_id = $1 and webhook_id = r.webhook_id
        and next_attempt_at <= case when r.is_paused then ${ASKED_FOR} else now() end
        and (claimed_until is null or claimed_until <= now())
      order by next_attempt_at limit r.take for update skip locked) d
    limit $2
  ), taken as (
    update webhook_queue q set claimed_until = now() + ${LEASE}, claim = $3
    from due where q.institute_id = $1 and q.ctid = due.place${lost.isTaken ? '' : ' and due.claimed_until is null'}
    returning q.*, q.ctid as place, old.claimed_until as lost_claim
  )${lost.isTaken ? WRITE_LOST : ''}
  select t.institute_id as "instituteId", t.delivery_id as id, t.claim, t.place, t.failures, t.webhook_id as "webhookId",
    e.id as "eventId", e.event_code as "eventCode", floor(date_part('epoch', e.occurred_at))::bigint as timestamp, e.sequence, e.payload::text as "payloadJson",
    e.trace_parent as "traceParent", null::json as target
  from taken t cross join lateral (
    select e.* from events e where e.institute_id = $1 and e.id = t.event_id limit 1) e
  union all
  select null, null, null, null, null, null, null, null, null, null, null, null,
    ${targetJson(`${PAUSED} or s.id in (select id from probing)`)}
  from webhook_subscriptions s where s.institute_id = $1 and s.id in (select t.webhook_id from taken t)
  union all
  select null, null, null, null, null, null, null, null, null, null, null, null, json_build_object('isLeft', true)
  where not ${lost.isTaken} and exists (select 1 from due where claimed_until is not null)`
const CLAIM_FREE = claimText({ isTaken: false })
const CLAIM_ALL = claimText({ isTaken: true })

type ClaimOptions = { limit: number; roomEach: number; busy: readonly Room[] }

/** With them comes how their subscriptions are: to ask for it later would cost another turn of a busy event loop. */
export async function claimDue(
  db: Database,
  { limit, roomEach, busy }: ClaimOptions,
): Promise<{ claims: Claimed[]; mayBeMore: boolean }> {
  const ready = await findReady(db, { roomEach, busy })
  const institutes = new Set(ready.map(({ instituteId }) => instituteId))
  const share = Math.max(1, Math.floor(limit / institutes.size))
  const ours = new Set([...institutes].slice(0, limit))
  const taken = await forEachInstitute(
    ready.filter(({ instituteId }) => ours.has(instituteId)),
    (_, some) => claimSome(db, some, share),
  )
  const mayBeMore = ours.size < institutes.size || taken.some(({ length }) => length === share)
  return { claims: taken.flat(), mayBeMore }
}

async function claimSome(db: Database, ready: readonly Ready[], limit: number): Promise<Claimed[]> {
  const values = [
    ready[0]?.instituteId,
    limit,
    ready[0]?.claim,
    ready.map(({ webhookId }) => webhookId),
    ready.map(({ room }) => room),
    ready.map(({ isPaused }) => isPaused),
    ready.map(({ needsProbe }) => needsProbe),
  ]
  // A probe is one row, whatever has become of it: left, it would pause its subscription for nothing.
  const isProbe = ready.some(({ needsProbe }) => needsProbe)
  const rows = await db.query<ClaimedRow>(isProbe ? CLAIM_ALL : CLAIM_FREE, values)
  if (rows.some(isLeft)) rows.push(...(await db.query<ClaimedRow>(CLAIM_ALL, values)))
  const targets = new Map<string, Target>()
  for (const { target } of rows)
    if (target !== null && 'id' in target) targets.set(target.id, decodeTarget(target))
  return rows.flatMap(row => {
    if (row.target !== null) return []
    const webhook = targets.get(row.webhookId)
    assert(webhook !== undefined, 'a delivery has a subscription')
    return Object.assign(row, { webhook })
  })
}

const isLeft = ({ target }: ClaimedRow): boolean => target !== null && 'isLeft' in target

/** How the subscriptions of these are at this moment. */
export async function readTargets(db: Database, held: readonly Claimed[]): Promise<Targets> {
  if (held.length === 0) return new Map()
  const rows = await db.query<{ target: SealedTarget }>(
    `select ${targetJson(PAUSED)} as target from webhook_subscriptions s
     where institute_id = any ($1) and (institute_id, id) in (
       select k.institute_id, k.id from unnest($1::int[], $2::text[]) as k (institute_id, id))`,
    [held.map(({ instituteId }) => instituteId), held.map(({ webhook }) => webhook.id)],
  )
  return new Map(rows.map(({ target }) => [target.id, decodeTarget(target)]))
}

function decodeTarget(target: SealedTarget): Target {
  return {
    ...target,
    secretSealed: fromHex(target.secretSealed),
    previousSecretSealed: fromHex(target.previousSecretSealed),
    headerValueSealed: fromHex(target.headerValueSealed),
  }
}

const fromHex = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text, 'hex'))

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

/**
 * Only the holder of a claim finishes it. Nobody else changes a row with a claim on it, so it stands where it stood when
 * it was claimed: looking for it there costs half of looking for it by its id. The deliveries are named twice, so that only
 * the months of these are looked into. Moments are reckoned with the results: a distributed database takes no such
 * expression where a row is written.
 */
const FINISH = `
  with result as materialized (
    select *, now() + next_ms * interval '1 millisecond' as next_at, case when state = 'exhausted' then now() end as given_up_at
    from unnest($1::bigint[], $2::tid[], $3::text[], $4::int[], $5::bigint[], string_to_array($6, e'\\n')::jsonb[], $7::int[])
      as r (claim, place, state, failures, next_ms, attempt, institute_id)
  ), over as (
    delete from webhook_queue q using result r
    where q.institute_id = any ($7) and q.institute_id = r.institute_id and r.next_ms is null and q.ctid = r.place and q.claim = r.claim
    returning q.institute_id, q.delivery_id, r.state, r.attempt, r.given_up_at
  ), again as (
    update webhook_queue q set claim = null, claimed_until = null, failures = r.failures, next_attempt_at = r.next_at
    from result r
    where q.institute_id = any ($7) and q.institute_id = r.institute_id and r.next_ms is not null and q.ctid = r.place and q.claim = r.claim
    returning q.institute_id, q.delivery_id, r.state, r.attempt, r.given_up_at
  ), written as (
    update webhook_deliveries d set state = r.state, attempts = d.attempts || r.attempt, given_up_at = r.given_up_at
    from (select * from over union all select * from again) r
    where d.institute_id = any ($7) and d.institute_id = r.institute_id and d.id = r.delivery_id and d.id = any ($8::text[])
    returning d.id, d.state
  )
  select id from written where state <> 'delivered'`

/** Answers which of them did not arrive, but for those that were not ours any more. */
export async function finishAll(tx: Transaction, finishes: readonly Finish[]): Promise<Set<string>> {
  // Written as PostgreSQL writes arrays, as the client would quote item by item. JSON has no line break in it.
  const rows = await tx.query<{ id: string }>(FINISH, [
    arrayOf(finishes, ({ claimed }) => claimed.claim),
    arrayOf(finishes, ({ claimed }) => `"${claimed.place}"`),
    arrayOf(finishes, ({ state }) => state),
    arrayOf(finishes, ({ failures }) => failures),
    arrayOf(finishes, ({ nextInMs }) => nextInMs ?? 'null'),
    finishes.map(({ attempt }) => JSON.stringify(attempt === null ? [] : [attempt])).join('\n'),
    finishes.map(({ claimed }) => claimed.instituteId),
    finishes.map(({ claimed }) => claimed.id),
  ])
  return new Set(rows.map(({ id }) => id))
}

function arrayOf(finishes: readonly Finish[], read: (finish: Finish) => string | number): string {
  return `{${finishes.map(read).join()}}`
}

const RELEASE = `
  update webhook_queue q set claim = null, claimed_until = null
  from unnest($1::int[], $2::text[], $3::bigint[]) as r (institute_id, id, claim)
  where q.institute_id = any ($1) and q.institute_id = r.institute_id and q.delivery_id = r.id and q.claim = r.claim
  returning q.institute_id, q.delivery_id, old.claimed_until as lost_claim`
const RELEASE_INTERRUPTED = `with released as (${RELEASE}), attempted as materialized (
    select institute_id, delivery_id, ${interrupted('lost_claim')} as attempt from released)
  update webhook_deliveries d set attempts = d.attempts || r.attempt from attempted r
  where d.institute_id = r.institute_id and d.id = r.delivery_id and d.institute_id = any ($1) and d.id = any ($2)`

/** Gives back what was claimed: not attempted, or on its way when we had to leave. */
export async function releaseAll(
  db: Database,
  claims: readonly Claimed[],
  { areOut }: { areOut: boolean } = { areOut: false },
): Promise<void> {
  if (claims.length === 0) return
  await db.query(areOut ? RELEASE_INTERRUPTED : RELEASE, [
    claims.map(({ instituteId }) => instituteId),
    claims.map(({ id }) => id),
    claims.map(({ claim }) => claim),
  ])
}
