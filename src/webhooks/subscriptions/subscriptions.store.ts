import type { EventCode } from '../../events/define-event.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { nameRows } from '../../platform/db/query.ts'
import { Table } from '../../platform/db/table.ts'
import type { Health } from '../delivery-log/deliveries.rules.ts'
import type { DisabledBecause } from './subscriptions.rules.ts'

export type Subscription = {
  id: string
  collectorCode: string
  eventCode: EventCode
  url: string
  failureEmails: string
  secretSealed: Buffer | null
  previousSecretSealed: Buffer | null
  previousSecretUntil: Date | null
  headerKey: string | null
  headerValueSealed: Buffer | null
  createdAt: Date
  disabledAt: Date | null
  disabledBecause: DisabledBecause | null
  failuresInRow: number
  pausedUntil: Date | null
}

const subscriptions = new Table<Subscription>('webhook_subscriptions', {
  id: 'text',
  collectorCode: 'text',
  eventCode: 'text',
  url: 'text',
  failureEmails: 'failure_notification_email text',
  secretSealed: 'bytea',
  previousSecretSealed: 'bytea',
  previousSecretUntil: 'timestamptz',
  headerKey: 'text',
  headerValueSealed: 'bytea',
  createdAt: 'timestamptz',
  disabledAt: 'timestamptz',
  disabledBecause: 'text',
  failuresInRow: 'int',
  pausedUntil: 'timestamptz',
})
const ofInstitute = subscriptions.with<{ instituteId: number }>({ instituteId: 'int' })

export const SUBSCRIPTION_COLUMNS = subscriptions.columns('s')

/** False when the event code is subscribed for this branch already. */
export async function insertSubscription(
  tx: Transaction,
  instituteId: number,
  subscription: Subscription,
): Promise<boolean> {
  const count = await ofInstitute.insert(tx, [{ ...subscription, instituteId }], {
    onConflict: 'on conflict (institute_id, collector_code, event_code) where disabled_at is null do nothing',
  })
  return count === 1
}

export async function lockActive(
  tx: Transaction,
  instituteId: number,
  collectorCode: string,
  eventCode: EventCode,
): Promise<Subscription | null> {
  const [row] = await tx.query<Subscription>(
    `select ${SUBSCRIPTION_COLUMNS} from webhook_subscriptions s
     where institute_id = $1 and collector_code = $2 and event_code = $3 and disabled_at is null for no key update`,
    [instituteId, collectorCode, eventCode],
  )
  return row ?? null
}

export async function updateSecrets(
  tx: Transaction,
  instituteId: number,
  subscription: Subscription,
): Promise<void> {
  await ofInstitute.update(tx, [{ ...subscription, instituteId }], {
    key: ['instituteId', 'id'],
    set: ['secretSealed', 'previousSecretSealed', 'previousSecretUntil', 'headerKey', 'headerValueSealed'],
  })
}

/** Null when there is no active subscription with this id. */
export async function disableSubscription(
  tx: Transaction,
  instituteId: number,
  id: string,
  because: DisabledBecause,
): Promise<Subscription | null> {
  const [row] = await tx.query<Subscription>(
    `update webhook_subscriptions s set disabled_at = now(), disabled_because = $3
     where institute_id = $1 and id = $2 and disabled_at is null returning ${SUBSCRIPTION_COLUMNS}`,
    [instituteId, id, because],
  )
  return row ?? null
}

export async function findSubscription(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<Subscription | null> {
  const [row] = await db.query<Subscription>(
    `select ${SUBSCRIPTION_COLUMNS} from webhook_subscriptions s where institute_id = $1 and id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

/** Others that ask for it, or disable it, wait until we are done. */
export async function lockSubscription(tx: Transaction, instituteId: number, id: string): Promise<void> {
  await tx.query(
    'select 1 from webhook_subscriptions where institute_id = $1 and id = $2 for no key update',
    [instituteId, id],
  )
}

const MAX_DISABLED = 200

/** All active ones, at most one per event code and branch; of the disabled those disabled last. */
export async function listSubscriptions(
  db: Queryable,
  instituteId: number,
  filter: { collectorCode: string | null; withDisabled: boolean },
): Promise<Subscription[]> {
  return db.query<Subscription>(
    `select ${SUBSCRIPTION_COLUMNS} from webhook_subscriptions s
     where institute_id = $1 and ($2::text is null or collector_code = $2)
       and (disabled_at is null or ($3 and id in (
         select d.id from webhook_subscriptions d
         where d.institute_id = $1 and ($2::text is null or d.collector_code = $2) and d.disabled_at is not null
         order by d.disabled_at desc, d.id desc limit ${MAX_DISABLED})))
     order by id`,
    [instituteId, filter.collectorCode, filter.withDisabled],
  )
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
