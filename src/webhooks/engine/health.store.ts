import type { Transaction } from '../../platform/db/database.ts'
import { nameRows } from '../../platform/db/named-rows.ts'
import type { Health } from '../delivery-log/deliveries.rules.ts'

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
