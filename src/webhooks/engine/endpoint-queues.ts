import { CIRCUIT_OPENS_AT } from '../delivery-log/deliveries.rules.ts'
import type { ClaimedDelivery, DeliveryTarget, OriginRoom } from './queue.store.ts'
import type { ClaimEnd } from './results.service.ts'

/**
 * Who may send now. Every endpoint has a queue of its own with so many places; what does not fit waits in its queue and
 * holds up nobody else. An endpoint is an origin: subscriptions of one ERP to many event codes share its strength.
 */
type EndpointQueue = {
  running: number
  waiting: WaitingDelivery[]
  /** More is claimed when fewer than this wait. */
  refillBelow: number
  /** How long its answers took of late. */
  answerMs: number
}

export type WaitingDelivery = { claimed: ClaimedDelivery; since: number }

/** Claimed ahead for each slot, so that each of many subscriptions may have one. */
const WAITING_PER_SLOT = 4
/** An endpoint that answers at once is kept busy by this many; each further one would only wait, here or there. */
const FEW_PLACES = 20
/** One that takes its time gets more, for 250 deliveries a second, until it has all its places. */
const ANSWER_MS_PER_PLACE = 4
/** The last answer's weight in the mean of the last ones. */
const WEIGHT = 1 / 8

export class EndpointQueues {
  readonly #maxSlots: number
  readonly #queues = new Map<string, EndpointQueue>()
  running = 0
  waiting = 0

  constructor(maxSlots: number) {
    this.#maxSlots = maxSlots
  }

  /** A delivery that waits is handed out by `next`; one that finds the queue full is not added. */
  enter(claimed: ClaimedDelivery, now: number, isHeld = false): 'starts' | 'waits' | 'full' {
    const { origin } = claimed.webhook
    const queue = this.#queues.get(origin) ?? { running: 0, waiting: [], refillBelow: 0, answerMs: 0 }
    this.#queues.set(origin, queue)
    if (isHeld || !this.#hasSlot(queue)) {
      if (queue.waiting.length >= this.#maxSlots * WAITING_PER_SLOT) return 'full'
      queue.waiting.push({ claimed, since: now })
      this.waiting++
      return 'waits'
    }
    queue.running++
    this.running++
    return 'starts'
  }

  /** Frees its place; `answerMs` is null when no answer came. */
  leave({ webhook: { origin } }: ClaimedDelivery, answerMs: number | null): void {
    const queue = this.#queues.get(origin)
    if (queue === undefined) throw new Error('a delivery left a queue that it never entered')
    queue.running--
    this.running--
    if (answerMs !== null) queue.answerMs += (answerMs - queue.answerMs) * WEIGHT
    if (queue.running === 0 && queue.waiting.length === 0) this.#queues.delete(origin)
  }

  /** The one that has waited longest for a place that is free now, and takes it; those that are held go on waiting. */
  next(origin: string, isHeld: (claimed: ClaimedDelivery) => boolean = () => false): ClaimedDelivery | null {
    const queue = this.#queues.get(origin)
    if (queue === undefined || !this.#hasSlot(queue)) return null
    const index = queue.waiting.findIndex(({ claimed }) => !isHeld(claimed))
    const [next] = index < 0 ? [] : queue.waiting.splice(index, 1)
    if (next === undefined) return null
    this.waiting--
    queue.running++
    this.running++
    return next.claimed
  }

  #hasSlot({ running, answerMs }: EndpointQueue): boolean {
    return running < Math.min(this.#maxSlots, Math.max(FEW_PLACES, answerMs / ANSWER_MS_PER_PLACE))
  }

  /** They have what could be had: half of what waits may go before it is time for more. */
  setStock(): void {
    for (const queue of this.#queues.values()) queue.refillBelow = queue.waiting.length / 2
  }

  /** More is on its way. */
  clearStock(): void {
    for (const queue of this.#queues.values()) queue.refillBelow = 0
  }

  isLow(origin: string): boolean {
    const queue = this.#queues.get(origin)
    return queue !== undefined && queue.waiting.length < queue.refillBelow
  }

  /** Endpoints for which something waits: what is new stays in the database behind what was there before. */
  crowded(): string[] {
    return [...this.#queues].filter(([, { waiting }]) => waiting.length > 0).map(([origin]) => origin)
  }

  /** There is more in the database: it is time to claim it when nothing waits here any more. False if nothing does now. */
  expectMore(origin: string): boolean {
    const queue = this.#queues.get(origin)
    if (queue === undefined || queue.waiting.length === 0) return false
    queue.refillBelow = Math.max(queue.refillBelow, 1)
    return true
  }

  isDry(origin: string): boolean {
    return (this.#queues.get(origin)?.waiting.length ?? 0) === 0
  }

  /** How many more busy queues may be given; one that is not named here has all of `roomEach`. */
  busy(roomEach: number): OriginRoom[] {
    return Array.from(this.#queues, ([origin, { running, waiting }]) => ({
      origin,
      room: Math.max(roomEach - running - waiting.length, 0),
    }))
  }

  /** One of the waiting ones for each way in which a subscription was read. */
  sampleWaiting(): ClaimedDelivery[] {
    const samples = new Map<DeliveryTarget, ClaimedDelivery>()
    for (const { waiting } of this.#queues.values()) {
      for (const { claimed } of waiting) samples.set(claimed.webhook, claimed)
    }
    return [...samples.values()]
  }

  /** Takes out those of the waiting ones. */
  takeWaiting(isTaken: (waiting: WaitingDelivery) => boolean): ClaimedDelivery[] {
    const taken: ClaimedDelivery[] = []
    for (const queue of this.#queues.values()) {
      const left = queue.waiting.filter(one => !isTaken(one))
      if (left.length === queue.waiting.length) continue
      for (const one of queue.waiting) if (isTaken(one)) taken.push(one.claimed)
      queue.waiting = left
    }
    this.waiting -= taken.length
    return taken
  }
}

/**
 * Failures in a row whose results are not written yet, by subscription. The circuit opens when they are written; an
 * endpoint that refuses at once would until then get as many requests as it can answer. So with as many unwritten as
 * open the circuit nothing more is sent to the subscription; nor what a look at the queue that began before it opened
 * brings after it.
 */
export class UnwrittenFailures {
  readonly #counts = new Map<string, number>()

  #shutSinceLook: ReadonlySet<string> = new Set()

  isHeld({ webhook: { id, isPaused } }: ClaimedDelivery): boolean {
    const isStale = this.#shutSinceLook.has(id) && !isPaused
    return isStale || (this.#counts.get(id) ?? 0) >= CIRCUIT_OPENS_AT
  }

  beginLook(): void {
    this.#shutSinceLook = new Set()
  }

  add({ finish: { claimed }, verdict }: ClaimEnd): void {
    const { id } = claimed.webhook
    if (verdict?.kind === 'delivered') this.#counts.delete(id)
    else this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1)
  }

  /** Answers the endpoints at which something may be held no longer. */
  remove(batch: readonly ClaimEnd[], shut: ReadonlySet<string>): Set<string> {
    this.#shutSinceLook = this.#shutSinceLook.union(shut)
    const failed = batch.filter(({ verdict }) => verdict?.kind !== 'delivered')
    for (const { finish } of failed) {
      const { id } = finish.claimed.webhook
      const left = (this.#counts.get(id) ?? 0) - 1
      if (left > 0) this.#counts.set(id, left)
      else this.#counts.delete(id)
    }
    return new Set(failed.map(({ finish }) => finish.claimed.webhook.origin))
  }
}
