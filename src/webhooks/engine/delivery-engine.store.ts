import { isDeepStrictEqual } from 'node:util'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { DeliveryState } from '../delivery-log/deliveries.rules.ts'
import type { DeliverableEvent } from './delivery-body.ts'
import { PAUSED } from './ready.store.ts'

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
type Targets = ReadonlyMap<string, Target>

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
export const LEASE = `interval '40 seconds'`

/** An attempt of which we know only when it was claimed. */
export const interrupted = (claimedUntil: string): string => `jsonb_build_object(
  'attempted_at', to_char((${claimedUntil} - ${LEASE}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'problem', 'The attempt was interrupted; whether it arrived is not known.')`

type TargetKey = { instituteId: number; webhookId: string }

const targetKey = ({ instituteId, webhook }: Claimed): TargetKey => ({
  instituteId,
  webhookId: webhook.id,
})

/** How these subscriptions are at this moment. */
export async function readTargets(db: Database, held: readonly TargetKey[]): Promise<Targets> {
  if (held.length === 0) return new Map()
  const each = [...new Map(held.map(one => [one.webhookId, one])).values()]
  const [one, ...others] = each
  const rows =
    one !== undefined && others.length === 0
      ? // What was just committed does not wait for its target behind transactions that wait for a connection.
        await db.pointRead<{ target: SealedTarget }>(
          `select ${targetJson(PAUSED)} as target from webhook_subscriptions s where institute_id = $1 and id = $2`,
          [one.instituteId, one.webhookId],
        )
      : await db.query<{ target: SealedTarget }>(
          `select ${targetJson(PAUSED)} as target from webhook_subscriptions s
     where institute_id = any ($3::int[]) and (institute_id, id) in (
       select k.institute_id, k.id from unnest($1::int[], $2::text[]) as k (institute_id, id))`,
          [
            each.map(({ instituteId }) => instituteId),
            each.map(({ webhookId }) => webhookId),
            institutesOf(each),
          ],
        )
  return new Map(rows.map(({ target }) => [target.id, decodeTarget(target)]))
}

/** Subscriptions that are not any more as they were when these were claimed. */
export async function findChanged(db: Database, held: readonly Claimed[]): Promise<Target[]> {
  const targets = await readTargets(db, held.map(targetKey))
  return held
    .map(({ webhook }) => webhook)
    .filter(webhook => !isDeepStrictEqual(webhook, targets.get(webhook.id)))
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

/** Answers which of them did not arrive, but for those that were not ours any more. */
export async function finishAll(tx: Transaction, finishes: readonly Finish[]): Promise<Set<string>> {
  // Written as PostgreSQL writes arrays, as the client would quote item by item.
  const rows = await tx.query<Pick<Claimed, 'id' | 'claim'>>(LEAVE_QUEUE, [
    finishes.map(({ claimed }) => claimed.instituteId),
    arrayOf(finishes, ({ claimed }) => claimed.claim),
    arrayOf(finishes, ({ claimed }) => `"${claimed.place}"`),
    arrayOf(finishes, ({ failures }) => failures),
    arrayOf(finishes, ({ nextInMs }) => nextInMs ?? 'null'),
    institutesOf(finishes.map(({ claimed }) => claimed)),
  ])
  const left = new Map(rows.map(({ id, claim }) => [id, claim]))
  const ours = finishes.filter(({ claimed }) => left.get(claimed.id) === claimed.claim)
  if (ours.length === 0) return new Set()
  await tx.query(WRITE_RESULTS, [
    ours.map(({ claimed }) => claimed.instituteId),
    arrayOf(ours, ({ claimed }) => claimed.id),
    arrayOf(ours, ({ state }) => state),
    // JSON has no line break in it.
    ours.map(({ attempt }) => JSON.stringify(attempt === null ? [] : [attempt])).join('\n'),
    institutesOf(ours.map(({ claimed }) => claimed)),
  ])
  return new Set(ours.filter(({ state }) => state !== 'delivered').map(({ claimed }) => claimed.id))
}

/** Each once: every look-up goes through the list. */
const institutesOf = (held: readonly Pick<Claimed, 'instituteId'>[]): number[] => [
  ...new Set(held.map(({ instituteId }) => instituteId)),
]

function arrayOf(finishes: readonly Finish[], read: (finish: Finish) => string | number): string {
  return `{${finishes.map(read).join()}}`
}

const RELEASE = `
  update webhook_queue q set claim = null, claimed_until = null
  from unnest($1::int[], $2::text[], $3::bigint[]) as r (institute_id, id, claim)
  where q.institute_id = any ($4::int[]) and q.institute_id = r.institute_id and q.delivery_id = r.id and q.claim = r.claim
  returning q.institute_id, q.delivery_id, old.claimed_until as lost_claim`
const RELEASE_INTERRUPTED = `with released as (${RELEASE}), attempted as materialized (
    select institute_id, delivery_id, ${interrupted('lost_claim')} as attempt from released)
  update webhook_deliveries d set attempts = d.attempts || r.attempt from attempted r
  where d.institute_id = r.institute_id and d.id = r.delivery_id and d.institute_id = any ($4) and d.id = any ($2)`

/** Gives back what was claimed: not attempted, or on its way when we had to leave. */
export async function releaseAll(
  db: Database,
  claims: readonly Pick<Claimed, 'instituteId' | 'id' | 'claim'>[],
  { areOut }: { areOut: boolean } = { areOut: false },
): Promise<void> {
  if (claims.length === 0) return
  await db.query(areOut ? RELEASE_INTERRUPTED : RELEASE, [
    claims.map(({ instituteId }) => instituteId),
    claims.map(({ id }) => id),
    claims.map(({ claim }) => claim),
    institutesOf(claims),
  ])
}
