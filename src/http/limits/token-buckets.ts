/**
 * Token buckets by key, in one process: a steady rate with room for a burst. A bucket that is full again is the same as
 * none, so those are dropped; the one unused for longest goes first if there are too many all the same.
 */
const MAX_BUCKETS = 10_000

type Bucket = { tokens: number; filledAt: number; fullAt: number }
export type Rate = { perSecond: number; burst: number }

export class TokenBuckets {
  /** In the order of their last use. */
  readonly #buckets = new Map<string, Bucket>()

  get size(): number {
    return this.#buckets.size
  }

  /** Takes a token if there is one, and says how many are left. */
  take(key: string, { perSecond, burst }: Rate, nowMs: number): { isAdmitted: boolean; tokens: number } {
    const { tokens: before, filledAt } = this.#buckets.get(key) ?? { tokens: burst, filledAt: nowMs }
    const filled = Math.min(burst, before + ((nowMs - filledAt) / 1_000) * perSecond)
    const isAdmitted = filled >= 1
    const tokens = isAdmitted ? filled - 1 : filled
    // Deleting first moves the entry to the end.
    this.#buckets.delete(key)
    this.#buckets.set(key, {
      tokens,
      filledAt: nowMs,
      fullAt: nowMs + ((burst - tokens) / perSecond) * 1_000,
    })
    this.#drop(nowMs)
    return { isAdmitted, tokens }
  }

  /** Looks at the two that were used longest ago: more than one is ever added, so all that are full go in time. */
  #drop(nowMs: number): void {
    let looks = 2
    for (const [key, { fullAt }] of this.#buckets) {
      if (looks === 0) return
      looks -= 1
      if (fullAt <= nowMs || this.#buckets.size > MAX_BUCKETS) this.#buckets.delete(key)
    }
  }
}
