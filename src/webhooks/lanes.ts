import type { Claimed, Room } from './deliver.store.ts'

/**
 * Who may send now. Every endpoint has a lane of its own with so many places; what does not fit waits in its lane and
 * holds up nobody else. An endpoint is an origin: subscriptions of one ERP to many event codes share its strength.
 */
type Lane = { running: number; waiting: { claimed: Claimed; since: number }[]; webhookIds: Set<string> }

/** Those claimed ahead, and as many again of subscriptions that were not known to share the lane. */
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
    const lane = this.#lanes.get(origin) ?? { running: 0, waiting: [], webhookIds: new Set() }
    this.#lanes.set(origin, lane)
    lane.webhookIds.add(claimed.webhook.id)
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

  /** How many more the subscriptions of busy lanes may be given; those of lanes not named here have all of `roomEach`. */
  busy(roomEach: number): Room[] {
    return [...this.#lanes.values()].flatMap((lane, number) => {
      const room = Math.max(roomEach - lane.running - lane.waiting.length, 0)
      return [...lane.webhookIds].map(webhookId => ({ webhookId, lane: number, room }))
    })
  }

  /** Takes out whoever has waited since before that moment: somebody else may have a place for it. */
  takeWaiting(before: number): Claimed[] {
    const taken: Claimed[] = []
    for (const lane of this.#lanes.values()) {
      while ((lane.waiting[0]?.since ?? Infinity) < before) {
        const first = lane.waiting.shift()
        if (first !== undefined) taken.push(first.claimed)
      }
    }
    this.waiting -= taken.length
    return taken
  }
}
