import type { Transaction } from '../../platform/db/database.ts'
import { institutesOf, nameRows } from '../../platform/db/query.ts'
import type { DeliveryState, Health } from '../delivery-log/deliveries.rules.ts'
import type { Claimed } from './claims.store.ts'

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
  await writeResults(tx, ours)
  return new Set(ours.filter(({ state }) => state !== 'delivered').map(({ claimed }) => claimed.id))
}

function arrayOf(finishes: readonly Finish[], read: (finish: Finish) => string | number): string {
  return `{${finishes.map(read).join()}}`
}

export type SubscriptionHealth = Health & { instituteId: number; webhookId: string }

/**
 * Locks the subscriptions whose count may change: those that failed just now, and those that were failing. The weaker of the
 * locks, here and wherever one is locked: an event that is recorded for it meanwhile does not wait, nor is waited for.
 */
export async function lockHealth(
  tx: Transaction,
  attempted: readonly { instituteId: number; webhookId: string; hasFailed: boolean }[],
): Promise<SubscriptionHealth[]> {
  if (attempted.length === 0) return []
  const these = nameRows(
    attempted.map(({ instituteId, webhookId }) => ({ instituteId, id: webhookId })),
    1,
  )
  return tx.query<SubscriptionHealth>(
    `select s.institute_id as "instituteId", s.id as "webhookId", s.failures_in_row as "failuresInRow",
       s.failing_since as "failingSince"
     from webhook_subscriptions s
     where ${these.match('s')} and s.disabled_at is null and (s.id = any($3::text[]) or s.failures_in_row > 0)
     order by s.institute_id, s.id for no key update of s`,
    [...these.values, attempted.filter(({ hasFailed }) => hasFailed).map(({ webhookId }) => webhookId)],
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
