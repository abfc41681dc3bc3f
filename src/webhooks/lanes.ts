import type { Claimed, Room, Target } from './deliver.store.ts'

/**
 * Who may send now. Every endpoint has a lane of its own with so many places; what does not fit waits in its lane and
 * holds up nobody else. An endpoint is an origin: subscriptions of one ERP to many event codes share its strength.
 */
type Lane = { running: number; waiting: Waiting[] }

export type Waiting = { claimed: Claimed; since: number }

/** Those claimed ahead, and some more: of a lane with many subscriptions each may have one. */
const WAITING_PER_PLACE = 4

export class Lanes {
  readonly #places: number
  readonly #lanes = new Map<string, Lane>()
  running = 0
  waiting = 0

  constructor(placesEach: number) {
    this.#places = placesEach
  }

  /** What waits is handed out by `leave`; what finds the lane full is not in it. */
  enter(claimed: Claimed, now: number): 'starts' | 'waits' | 'full' {
    const { origin } = claimed.webhook
    const lane = this.#lanes.get(origin) ?? { running: 0, waiting: [] }
    this.#lanes.set(origin, lane)
    if (lane.running >= this.#places) {
      if (lane.waiting.length >= this.#places * WAITING_PER_PLACE) return 'full'
      lane.waiting.push({ claimed, since: now })
      this.waiting++
      return 'waits'
    }
    lane.running++
    this.running++
    return 'starts'
  }

  /** Frees a place; answers who takes it. */
  leave(claimed: Claimed): Claimed | null {
    const { origin } = claimed.webhook
    const lane = this.#lanes.get(origin)
    if (lane === undefined) throw new Error('a delivery left a lane that it never entered')
    const next = lane.waiting.shift()
    if (next !== undefined) {
      this.waiting--
      return next.claimed
    }
    lane.running--
    this.running--
    if (lane.running === 0) this.#lanes.delete(origin)
    return null
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
