import type { Transaction } from '../../platform/db/database.ts'
import type { Context } from '../../platform/context.ts'
import {
  healthAfter,
  type HealthChange,
  type NoticeKind,
  type Verdict,
} from '../delivery-log/deliveries.rules.ts'
import { cancelWaiting } from '../delivery-log/deliveries.store.ts'
import { finishAll, type Finish } from './delivery-engine.store.ts'
import type { Ended } from './attempt.ts'
import { lockHealth, writeHealth, type SubscriptionHealth } from './health.store.ts'
import { addNotices, type Notice } from '../failure-mails/notices.store.ts'
import { disableSubscription } from '../subscriptions/subscriptions.store.ts'
import { addAll } from '../../platform/lists.ts'

type Attempted = { finish: Finish; verdict: Verdict }
type Group = { instituteId: number; webhookId: string; attempts: Attempted[]; hasFailed: boolean }

/**
 * Writes down a batch of attempts and what they mean for the subscriptions, in one transaction. Answers the subscriptions
 * that get nothing more for now, paused or disabled. Subscriptions are locked before deliveries, as everywhere, so that
 * disabling one at this moment waits or is waited for.
 */
export async function recordAttempts(ctx: Context, batch: readonly Ended[]): Promise<string[]> {
  const groups = groupBySubscription(batch)
  return ctx.db.transaction(async tx => {
    // Neither needs the other's answer, so both leave together; the first is done first.
    const [locked, failed] = await Promise.all([
      lockHealth(tx, groups),
      finishAll(
        tx,
        batch.map(({ finish }) => finish),
      ),
    ])
    const active = new Set(locked.map(({ webhookId }) => webhookId))
    for (const { instituteId, webhookId, hasFailed } of groups) {
      // Disabled while its attempts were out: what was put off by them is not sent any more.
      if (hasFailed && !active.has(webhookId)) await cancelWaiting(tx, instituteId, webhookId)
    }
    return locked.length === 0 ? [] : applyHealth(tx, locked, onRecord(groups, failed))
  })
}

/** A failure counts once: not when its claim had run out, nor when it was written before and nobody heard of it. */
function onRecord(groups: readonly Group[], failed: ReadonlySet<string>): Group[] {
  const isOnRecord = ({ verdict, finish }: Attempted): boolean =>
    verdict.kind === 'delivered' || failed.has(finish.claimed.id)
  return groups
    .map(group => ({ ...group, attempts: group.attempts.filter(isOnRecord) }))
    .filter(({ attempts }) => attempts.length > 0)
}

async function applyHealth(
  tx: Transaction,
  locked: readonly SubscriptionHealth[],
  groups: readonly Group[],
): Promise<string[]> {
  const now = new Date()
  const changes: (SubscriptionHealth & HealthChange)[] = []
  const notices: Notice[] = []
  for (const before of locked) {
    const group = groups.find(({ webhookId }) => webhookId === before.webhookId)
    if (group === undefined) continue
    const verdicts = group.attempts.map(({ verdict }) => verdict)
    const change = { ...before, ...healthAfter(before, verdicts, now) }
    changes.push(change)
    addAll(notices, noticesOf(group, change))
  }
  await writeHealth(tx, changes)
  for (const { instituteId, webhookId, disable } of changes) {
    if (disable === null) continue
    await disableSubscription(tx, instituteId, webhookId, disable)
    await cancelWaiting(tx, instituteId, webhookId)
  }
  if (notices.length > 0) await addNotices(tx, notices)
  return changes.filter(isShut).map(({ webhookId }) => webhookId)
}

function isShut({ pauseMs, disable }: HealthChange): boolean {
  return disable !== null || (pauseMs ?? 0) > 0
}

function noticesOf({ instituteId, webhookId, attempts }: Group, change: HealthChange): Notice[] {
  const exhausted = attempts.filter(({ finish }) => finish.state === 'exhausted')
  const toNotice = (kind: NoticeKind, shown: readonly Attempted[], times: number): Notice => ({
    instituteId,
    webhookId,
    kind,
    times,
    deliveryId: shown.at(-1)?.finish.claimed.id ?? '',
  })
  const notices = change.notices.map(kind => toNotice(kind, attempts, 1))
  if (exhausted.length > 0) notices.push(toNotice('exhausted', exhausted, exhausted.length))
  return notices
}

function groupBySubscription(batch: readonly Ended[]): Group[] {
  const groups = new Map<string, Group>()
  for (const { finish, verdict } of batch) {
    if (verdict === null) continue
    const { instituteId, webhook } = finish.claimed
    const group = groups.get(webhook.id) ?? {
      instituteId,
      webhookId: webhook.id,
      attempts: [],
      hasFailed: false,
    }
    group.attempts.push({ finish, verdict })
    group.hasFailed ||= verdict.kind !== 'delivered'
    groups.set(webhook.id, group)
  }
  return [...groups.values()]
}
