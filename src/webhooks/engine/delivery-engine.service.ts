import type { OwedDeliveries } from '../../events/define-event.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { HttpClient, HttpResult } from '../../platform/http-client/http-client.ts'
import type { Log } from '../../platform/log.ts'
import { deliveryBody } from '../delivery-log/deliveries.rules.ts'
import { EndpointQueues, UnwrittenFailures, type WaitingDelivery } from './endpoint-queues.ts'
import {
  CLAIM_AT_ONCE,
  claimDue,
  findChanged,
  giveBack,
  giveBackInterrupted,
  queueClaimed,
  readIfEmpty,
  type ClaimedDelivery,
  type HandedOver,
} from './queue.store.ts'
import { answerMsOf, judgeAttempt, Results, unsent, type ClaimEnd } from './results.service.ts'
import { deliveryRequest, OpenedKeys, traceDelivery, type Keys } from './send.ts'

export type DeliveryOptions = {
  retrySeconds: readonly number[]
  slotsPerEndpoint: number
}

/** Each is a socket of this process and a claim in the queue. */
const MAX_AT_ONCE = 6_000
const LOOK_EVERY_MS = 1_000
/** A claim outlives this and the attempt after it. */
const LONGEST_WAIT_MS = 15_000
const STOP_WITHIN_MS = 3_000
const AFTER_FAILURE_MS = 1_000
const HANDED_OVER_AT_MOST = 20
/** A transaction that took longer has used up too much of the claim. */
const HANDED_OVER_WITHIN_MS = 5_000

/**
 * Delivers events: claims what is due, posts each, and writes the results down in batches. It sleeps until it is notified,
 * a retry of its own falls due, or a second has passed and something is queued. Any number of processes do this side by
 * side: a claim belongs to one of them, and one that dies leaves claims that run out.
 */
export class DeliveryEngine {
  readonly #ctx: Context
  readonly #httpClient: HttpClient
  readonly #log: Log
  readonly #options: DeliveryOptions
  readonly #queues: EndpointQueues
  readonly #listener: { start(): void; stop(): Promise<void> }
  readonly #held = new Set<ClaimedDelivery>()
  /** Nobody looked for them, so there need be no more where they came from. */
  readonly #handedOver = new WeakSet<ClaimedDelivery>()
  readonly #givingBack = new Set<Promise<unknown>>()
  readonly #keys: OpenedKeys
  readonly #results: Results
  readonly #unwritten = new UnwrittenFailures()
  #retryTimer: NodeJS.Timeout | null = null
  #retryAt = Infinity
  #wake: () => void = () => {}
  #onIdle: () => void = () => {}
  #isAwake = false
  /** The snapshot in which nothing was queued. */
  #emptyAt: string | null = null
  #stopped = false
  #running: Promise<void> | null = null
  /** Attempts made since the start. */
  attempted = 0

  constructor(ctx: Context, httpClient: HttpClient, log: Log, options: DeliveryOptions) {
    this.#ctx = ctx
    this.#httpClient = httpClient
    this.#log = log
    this.#options = options
    this.#keys = new OpenedKeys(ctx)
    this.#queues = new EndpointQueues(options.slotsPerEndpoint)
    this.#results = new Results(ctx, log, (batch, shut) => this.#letGo(batch, shut))
    this.#listener = ctx.db.listen(
      'deliveries',
      () => this.wake(),
      (tx, work: OwedDeliveries) => this.#takeOver(tx, work),
    )
  }

  start(): void {
    if (this.#running !== null) return
    this.#listener.start()
    this.#running = this.#loop()
  }

  /** Looks for due deliveries now. */
  wake(): void {
    this.#isAwake = true
    this.#emptyAt = null
    this.#wake()
  }

  /** Lets attempts under way finish for a moment, then gives back whatever is left. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.wake()
    await this.#listener.stop()
    await Promise.all([this.#running, ...this.#givingBack])
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer)
    const unstarted = this.#takeWaiting(() => true)
    await this.#whenIdle(STOP_WITHIN_MS)
    await this.#results.writeAll()
    const out = [...this.#held]
    this.#held.clear()
    const { db } = this.#ctx
    await Promise.allSettled([giveBack(db, unstarted), giveBackInterrupted(db, out)])
  }

  async #loop(): Promise<void> {
    while (!this.#stopped) {
      this.#isAwake = false
      try {
        if ((await this.#isStillEmpty()) || !(await this.#takeDue())) await this.#sleep(LOOK_EVERY_MS)
      } catch (error) {
        this.#log.warn({ err: error }, 'claiming webhook deliveries failed, will be retried')
        await this.#sleep(AFTER_FAILURE_MS)
      }
    }
  }

  /** While nobody writes anything an empty queue stays empty. */
  async #isStillEmpty(): Promise<boolean> {
    if (this.#emptyAt === null) return false
    const snapshot = await this.#ctx.db.readSnapshot({ maxAgeMs: LOOK_EVERY_MS / 2 })
    return this.#emptyAt === snapshot
  }

  /** True when there may be more that can start at once. */
  async #takeDue(): Promise<boolean> {
    const { db } = this.#ctx
    this.#unwritten.beginLook()
    const limit = Math.min(CLAIM_AT_ONCE, MAX_AT_ONCE - this.#held.size)
    const roomEach = this.#roomNow()
    const busy = this.#queues.busy(roomEach)
    const samples = this.#queues.sampleWaiting()
    const [{ claims, mayBeMore }, changed] = await Promise.all([
      limit > 0 ? claimDue(db, { limit, roomEach, busy }) : { claims: [], mayBeMore: false },
      // A look that fails is made again with the next claim; what this one took must not be lost with it.
      findChanged(db, samples).catch(() => []),
    ])
    const stale = this.#takeStale(new Set(changed))
    const surplus = this.#enter(claims)
    this.#queues.setStock()
    // The surplus is of an endpoint with more subscriptions than places.
    await giveBack(db, [...surplus, ...stale])
    if (this.#held.size === 0) {
      const emptyAt = await readIfEmpty(db)
      // A wake-up that came meanwhile may stand for rows that this read did not see.
      if (!this.#isAwake) this.#emptyAt = emptyAt
    }
    return mayBeMore || stale.length > 0
  }

  /**
   * Claims the deliveries that a transaction of this process makes, and attempts them as soon as it is committed: nobody has
   * to look for them. If the process dies before that, the claim expires as that of any attempt. Many at once stay in the
   * queue, where large claims are cheaper, and so do those that would wait here behind others.
   */
  #takeOver(tx: Transaction, work: OwedDeliveries): boolean {
    if (work.owed.length > HANDED_OVER_AT_MOST || this.#held.size > MAX_AT_ONCE / 2) return false
    const takenAt = performance.now()
    queueClaimed(tx, work, this.#queues.crowded(), handed => {
      const isLate = performance.now() - takenAt > HANDED_OVER_WITHIN_MS
      if (this.#stopped || isLate) this.#giveBack(handed.claims)
      else this.#enterHandedOver(handed)
    })
    return true
  }

  #enterHandedOver({ claims, left }: HandedOver): void {
    for (const claimed of claims) this.#handedOver.add(claimed)
    this.#giveBack(this.#enter(claims))
    // Deliveries of a paused subscription are left out: a later look finds them when the pause is over.
    if (left.some(({ isPaused, origin }) => !isPaused && !this.#queues.expectMore(origin))) this.wake()
  }

  /** Starts what can start; answers what there is no place for. */
  #enter(claims: readonly ClaimedDelivery[]): ClaimedDelivery[] {
    const surplus: ClaimedDelivery[] = []
    const now = Date.now()
    for (const claimed of claims) {
      if (claimed.webhook.isDisabled) {
        this.#held.add(claimed)
        this.#results.add(unsent(claimed))
        continue
      }
      const entry = this.#queues.enter(claimed, now, this.#unwritten.isHeld(claimed))
      if (entry === 'full') surplus.push(claimed)
      else this.#held.add(claimed)
      if (entry === 'starts') this.#deliver(claimed)
    }
    return surplus
  }

  /**
   * How many deliveries an endpoint may have here. Some are claimed ahead, so that no slot is empty until the next claim; more
   * would only grow old in memory. Once half of all room is taken each gets a few: endpoints that hang leave room for others.
   */
  #roomNow(): number {
    const { slotsPerEndpoint } = this.#options
    const { running, waiting } = this.#queues
    return running + waiting < MAX_AT_ONCE / 2 ? 4 * slotsPerEndpoint : Math.ceil(slotsPerEndpoint / 10)
  }

  /**
   * Takes deliveries out of the queues to be given back, so that the next claim reads them anew: those that have waited so long
   * that their claim would expire, and those of a changed subscription, which may have another key, or be disabled or paused.
   */
  #takeStale(changed: ReadonlySet<ClaimedDelivery['webhook']>): ClaimedDelivery[] {
    const before = Date.now() - LONGEST_WAIT_MS
    return this.#takeWaiting(({ claimed, since }) => since < before || changed.has(claimed.webhook))
  }

  #takeWaiting(isTaken: (waiting: WaitingDelivery) => boolean): ClaimedDelivery[] {
    const taken = this.#queues.takeWaiting(isTaken)
    for (const claimed of taken) this.#held.delete(claimed)
    return taken
  }

  /** Attempts one, then those that wait for its slot. */
  #deliver(claimed: ClaimedDelivery): void {
    const at = new Date()
    let keys: Keys | null = null
    const traced = traceDelivery(claimed)
    const { retrySeconds } = this.#options
    const onResult = (answer: HttpResult): void => {
      const result = traced(answer)
      const ended = judgeAttempt(claimed, { at, keys, result }, { retrySeconds, chance: Math.random() })
      this.#logAttempt(claimed, result, ended.finish.state)
      this.attempted++
      this.#onEnded(ended)
    }
    try {
      keys = this.#keys.of(claimed.webhook)
      const body = Buffer.from(deliveryBody(claimed))
      const { url } = claimed.webhook
      const request = deliveryRequest({ url, eventId: claimed.eventId, body, at, keys })
      this.#httpClient.exchange(request, onResult)
    } catch (error) {
      const problem = this.#cannotSend(claimed, error)
      queueMicrotask(() => onResult(problem))
    }
  }

  #onEnded(ended: ClaimEnd): void {
    const { claimed } = ended.finish
    const { origin } = claimed.webhook
    // Given back already, as interrupted.
    if (!this.#held.has(claimed)) return
    this.#unwritten.add(ended)
    this.#results.add(ended)
    this.#queues.leave(claimed, answerMsOf(ended))
    // Two, if the endpoint has more places than before.
    this.#startNext(origin, 2)
    if (!this.#queues.isLow(origin)) return
    this.#queues.clearStock()
    this.wake()
  }

  #startNext(origin: string, most: number): void {
    for (let started = 0; started < most; started++) {
      const next = this.#queues.next(origin, claimed => this.#unwritten.isHeld(claimed))
      if (next === null) return
      this.#deliver(next)
    }
  }

  /** Counts a delivery that we cannot build as a failed attempt, so that it does not stop the others. */
  #cannotSend(claimed: ClaimedDelivery, error: unknown): HttpResult {
    this.#log.error(
      { err: error, webhook_id: claimed.webhook.id },
      'webhook delivery attempt could not be built',
    )
    const message = 'It could not be sent. Check the address, the key and the custom header of the webhook.'
    return { kind: 'failed', reason: 'broken_answer', message, durationMs: 0 }
  }

  /** Frees claims whose results are written, or cannot be; a subscription that they shut gets nothing more. */
  #letGo(batch: readonly ClaimEnd[], shut: ReadonlySet<string>): void {
    if (shut.size > 0) this.#giveBack(this.#takeWaiting(({ claimed }) => shut.has(claimed.webhook.id)))
    let next = Infinity
    for (const { finish } of batch) {
      this.#held.delete(finish.claimed)
      next = Math.min(next, finish.nextInMs ?? Infinity)
    }
    for (const origin of this.#unwritten.remove(batch, shut)) this.#startNext(origin, Infinity)
    if (this.#held.size === 0) this.#onIdle()
    if (next < LOOK_EVERY_MS) this.#wakeAt(Date.now() + next)
    const isFound = ({ finish: { claimed } }: ClaimEnd): boolean => !this.#handedOver.has(claimed)
    if (batch.some(ended => isFound(ended) && this.#queues.isDry(ended.finish.claimed.webhook.origin)))
      this.wake()
  }

  #giveBack(claims: readonly ClaimedDelivery[]): void {
    if (claims.length === 0) return
    const released = giveBack(this.#ctx.db, claims).catch((error: unknown) =>
      this.#log.warn({ err: error }, 'releasing claimed webhook deliveries failed; their leases will expire'),
    )
    this.#givingBack.add(released)
    void released.then(() => this.#givingBack.delete(released))
  }

  #wakeAt(moment: number): void {
    if (moment >= this.#retryAt) return
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer)
    this.#retryAt = moment
    this.#retryTimer = setTimeout(() => {
      this.#retryAt = Infinity
      this.wake()
    }, moment - Date.now())
  }

  /** Every attempt is on record at its delivery; the log has those that somebody has to look at. */
  #logAttempt(claimed: ClaimedDelivery, result: HttpResult, state: string): void {
    if (!this.#log.isLevelEnabled('info')) return
    this.#log.info(
      {
        delivery_id: claimed.id,
        event_id: claimed.eventId,
        event: claimed.eventCode,
        webhook_id: claimed.webhook.id,
        ...(result.kind === 'answered' ? { http_status: result.httpStatus } : { failed: result.reason }),
        duration_ms: result.durationMs,
        state,
      },
      'webhook delivery attempt',
    )
  }

  async #whenIdle(limitMs: number): Promise<void> {
    if (this.#held.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, limitMs)
    this.#onIdle = resolve
    await promise
    clearTimeout(timer)
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#isAwake || this.#stopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#wake = resolve
    await promise
    clearTimeout(timer)
  }
}
