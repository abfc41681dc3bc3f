/**
 * The one source of "now" for domain code. Real in live mode; in sandbox real time plus an offset that an
 * operator moves forward. Time-outs, tokens, keys and rate limits run on real time and never ask it.
 */
export type Clock = { now(): Date }

export const realClock: Clock = { now: () => new Date() }

export class OffsetClock implements Clock {
  #offsetMs: number

  constructor(offsetMs = 0) {
    this.#offsetMs = offsetMs
  }

  now(): Date {
    return new Date(Date.now() + this.#offsetMs)
  }

  /** Forward only: an offset that was read before a later move must not take it back. */
  advanceTo(offsetMs: number): void {
    this.#offsetMs = Math.max(this.#offsetMs, offsetMs)
  }
}
