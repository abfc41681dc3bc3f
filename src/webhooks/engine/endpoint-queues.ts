import type { Claimed, Room, Target } from './delivery-engine.store.ts'

/**
 * Who may send now. Every endpoint has a lane of its own with so many places; what does not fit waits in its lane and
 * holds up nobody else. An endpoint is an origin: subscriptions of one ERP to many event codes share its strength.
 */
type Lane = {
  running: number
  waiting: Waiting[]
  /** With fewer waiting it is time to claim more. */
  refillBelow: number
  /** How long its answers took of late. */
  answerMs: number
}

export type Waiting = { claimed: Claimed; since: number }

/** Those claimed ahead: of a lane with many subscriptions each may have one. */
const WAITING_PER_PLACE = 4
/** An endpoint that answers at once is kept busy by this many; each further one would only wait, here or there. */
const FEW_PLACES = 20
/** One that takes its time gets more, for 250 deliveries a second, until it has all its places. */
const ANSWER_MS_PER_PLACE = 4
/** Of the last answer in the mean of the last ones. */
const WEIGHT = 1 / 8

export class Lanes {
  readonly #mostPlaces: number
  readonly #lanes = new Map<string, Lane>()
  running = 0
  waiting = 0

  constructor(mostPlaces: number) {
    this.#mostPlaces = mostPlaces
  }

  /** What waits is handed out by `next`; what finds the lane full is not in it. */
  enter(claimed: Claimed, now: number): 'starts' | 'waits' | 'full' {
    const { origin } = claimed.webhook
    const lane = this.#lanes.get(origin) ?? { running: 0, waiting: [], refillBelow: 0, answerMs: 0 }
    this.#lanes.set(origin, lane)
    if (!this.#hasPlace(lane)) {
      if (lane.waiting.length >= this.#mostPlaces * WAITING_PER_PLACE) return 'full'
      lane.waiting.push({ claimed, since: now })
      this.waiting++
      return 'waits'
    }
    lane.running++
    this.running++
    return 'starts'
  }

  /** Frees its place; `answerMs` is null when no answer came. */
  leave({ webhook: { origin } }: Claimed, answerMs: number | null): void {
    const lane = this.#lanes.get(origin)
    if (lane === undefined) throw new Error('a delivery left a lane that it never entered')
    lane.running--
    this.running--
    if (answerMs !== null) lane.answerMs += (answerMs - lane.answerMs) * WEIGHT
    if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(origin)
  }

  /** Whoever has waited longest for a place that is free now, and takes it. */
  next(origin: string): Claimed | null {
    const lane = this.#lanes.get(origin)
    if (lane === undefined || !this.#hasPlace(lane)) return null
    const next = lane.waiting.shift()
    if (next === undefined) return null
    this.waiting--
    lane.running++
    this.running++
    return next.claimed
  }

  #hasPlace({ running, answerMs }: Lane): boolean {
    return running < Math.min(this.#mostPlaces, Math.max(FEW_PLACES, answerMs / ANSWER_MS_PER_PLACE))
  }

  /** They have what could be had: half of what waits may go before it is time for more. */
  setStock(): void {
    for (const lane of this.#lanes.values()) lane.refillBelow = lane.waiting.length / 2
  }

  /** More is on its way. */
  clearStock(): void {
    for (const lane of this.#lanes.values()) lane.refillBelow = 0
  }

  isLow(origin: string): boolean {
    const lane = this.#lanes.get(origin)
    return lane !== undefined && lane.waiting.length < lane.refillBelow
  }

  isDry(origin: string): boolean {
    return (this.#lanes.get(origin)?.waiting.length ?? 0) === 0
  }

  /** How many more busy lanes may be given; one that is not named here has all of `roomEach`. */
  busy(roomEach: number): Room[] {
    return Array.from(this.#lanes, ([origin, { running, waiting }]) => ({
      origin,
      room: Math.max(roomEach - running - waiting.length, 0),
    }))
  }

  /** One of the waiting ones for each way in which a subscription was read. */
  sampleWaiting(): Claimed[] {
    const samples = new Map<Target, Claimed>()
    for (const { waiting } of this.#lanes.values()) {
      for (const { claimed } of waiting) samples.set(claimed.webhook, claimed)
    }
    return [...samples.values()]
  }

  /** Takes out those of the waiting ones. */
  takeWaiting(isTaken: (waiting: Waiting) => boolean): Claimed[] {
    const taken: Claimed[] = []
    for (const lane of this.#lanes.values()) {
      const left = lane.waiting.filter(one => !isTaken(one))
      if (left.length === lane.waiting.length) continue
      for (const one of lane.waiting) if (isTaken(one)) taken.push(one.claimed)
      lane.waiting = left
    }
    this.waiting -= taken.length
    return taken
  }
}
