import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { HttpResult } from '../../platform/http-client/http-client.ts'
import { bisectOnFailure } from '../../platform/concurrency.ts'
import { addAll } from '../../platform/lists.ts'
import type { Log } from '../../platform/log.ts'
import {
  healthAfter,
  judge,
  stepAfter,
  type HealthChange,
  type NoticeKind,
  type Verdict,
} from '../delivery-log/deliveries.rules.ts'
import { cancelWaiting } from '../delivery-log/deliveries.store.ts'
import { addNotices, type Notice } from '../failure-mails/notices.store.ts'
import {
  disableSubscription,
  lockHealth,
  writeHealth,
  type SubscriptionHealth,
} from '../subscriptions/subscriptions.store.ts'
import { finishAll, type AttemptRecord, type ClaimedDelivery, type Finish } from './queue.store.ts'
import type { Keys } from './send.ts'

/** How a claim ended; no verdict when nothing was sent. */
export type ClaimEnd = { finish: Finish; verdict: Verdict | null }

type Attempt = { at: Date; keys: Keys | null; result: HttpResult }

/** What an attempt means for its delivery: done, to be tried again, or given up. */
export function judgeAttempt(
  claimed: ClaimedDelivery,
  { at, keys, result }: Attempt,
  retry: Parameters<typeof stepAfter>[2],
): ClaimEnd {
  const verdict = judge(result, new Date())
  const step = stepAfter(claimed.failures, verdict, retry)
  return { finish: { claimed, ...step, attempt: attemptRecord({ at, keys, result }, verdict) }, verdict }
}

/** Its subscription was disabled. */
export function unsent(claimed: ClaimedDelivery): ClaimEnd {
  const { failures } = claimed
  return {
    finish: { claimed, state: 'cancelled', failures, nextInMs: null, attempt: null },
    verdict: null,
  }
}

/** Null when no answer came. */
export function answerMsOf({ finish: { attempt } }: ClaimEnd): number | null {
  return attempt?.http_status === undefined ? null : (attempt.duration_ms ?? null)
}

let lastMoment = { ms: 0, iso: '' }

/** Many attempts begin in one millisecond under load, and writing a moment down costs as much as judging an answer. */
function isoOf(at: Date): string {
  const ms = at.getTime()
  if (ms !== lastMoment.ms) lastMoment = { ms, iso: at.toISOString() }
  return lastMoment.iso
}

function attemptRecord({ at, keys, result }: Attempt, verdict: Verdict): AttemptRecord {
  const record: AttemptRecord = { attempted_at: isoOf(at), duration_ms: result.durationMs }
  if (result.kind === 'answered') {
    record.http_status = result.httpStatus
    if (result.body.length > 0 && keys !== null) record.response = keys.excerptOf(result.body)
  }
  if (verdict.kind === 'failed') record.problem = verdict.problem
  if (verdict.kind === 'gone')
    record.problem = 'The endpoint answered 410 Gone, which disables the subscription.'
  return record
}

/** Told what is written, or cannot be, and the subscriptions that get nothing more for now. */
type OnWritten = (batch: readonly ClaimEnd[], shut: ReadonlySet<string>) => void

const WRITE_AT_ONCE = 500
const WRITE_AFTER_MS = 50

/**
 * Writes the results of attempts down, one batch after the other. A success can wait for company. Anything else is
 * written at once, together with what came during the batch before: until it is, an endpoint that is down gets more.
 */
export class Results {
  readonly #ctx: Context
  readonly #log: Log
  readonly #onWritten: OnWritten
  #waiting: ClaimEnd[] = []
  #isUrgent = false
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> | null = null

  constructor(ctx: Context, log: Log, onWritten: OnWritten) {
    this.#ctx = ctx
    this.#log = log
    this.#onWritten = onWritten
  }

  add(ended: ClaimEnd): void {
    this.#waiting.push(ended)
    if (ended.verdict?.kind !== 'delivered' || this.#waiting.length >= WRITE_AT_ONCE) void this.writeAll()
    else this.#timer ??= setTimeout(() => void this.writeAll(), WRITE_AFTER_MS)
  }

  /** Writes all results that have been added until now. */
  writeAll(): Promise<void> {
    this.#isUrgent = true
    this.#writing ??= this.#writeWhileUrgent()
    return this.#writing
  }

  async #writeWhileUrgent(): Promise<void> {
    while (this.#isUrgent) {
      if (this.#timer !== null) clearTimeout(this.#timer)
      this.#timer = null
      this.#isUrgent = false
      const batch = this.#waiting
      this.#waiting = []
      if (batch.length > 0) await this.#write(batch)
    }
    this.#writing = null
  }

  async #write(batch: readonly ClaimEnd[]): Promise<void> {
    const shut = new Set<string>()
    const record = async (some: readonly ClaimEnd[]): Promise<void> => {
      for (const id of await recordAttempts(this.#ctx, some)) shut.add(id)
    }
    try {
      await record(batch)
    } catch {
      // A subscription that somebody holds must not take the others with it.
      const bySubscription = Map.groupBy(batch, ({ finish }) => finish.claimed.webhook.id)
      for (const part of bySubscription.values()) await this.#writePart(part, record)
    }
    this.#onWritten(batch, shut)
  }

  async #writePart(
    part: readonly ClaimEnd[],
    record: (some: readonly ClaimEnd[]) => Promise<void>,
  ): Promise<void> {
    try {
      await bisectOnFailure(part, record, async (ended, error) => this.#giveUp([ended], error))
    } catch (error) {
      this.#giveUp(part, error)
    }
  }

  /** Their claims run out and they are sent again: at least once, never silently lost. */
  #giveUp(part: readonly ClaimEnd[], error: unknown): void {
    const ids = part.map(({ finish }) => finish.claimed.id)
    this.#log.warn({ err: error, delivery_ids: ids }, 'webhook delivery results could not be written')
  }
}

type Attempted = { finish: Finish; verdict: Verdict }
type Group = { instituteId: number; webhookId: string; attempts: Attempted[]; hasFailed: boolean }

/**
 * Writes down a batch of attempts and what they mean for the subscriptions, in one transaction. Answers the subscriptions
 * that get nothing more for now, paused or disabled. Subscriptions are locked before deliveries, as everywhere, so that
 * disabling one at this moment waits or is waited for. Successes are not waited for: one that a power failure takes along
 * is sent again when its claim runs out, as if its worker had died.
 */
export async function recordAttempts(ctx: Context, batch: readonly ClaimEnd[]): Promise<string[]> {
  const groups = groupBySubscription(batch)
  const commitsLater = batch.every(({ verdict }) => verdict?.kind === 'delivered')
  const record = async (tx: Transaction): Promise<string[]> => {
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
  }
  return ctx.db.transaction(record, { commitsLater })
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

function groupBySubscription(batch: readonly ClaimEnd[]): Group[] {
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
