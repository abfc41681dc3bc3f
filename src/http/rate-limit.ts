import type { FastifyReply } from 'fastify'
import type { Caller } from '../institutes/institutes.rules.ts'
import { BursarError } from '../platform/errors.ts'

/** A token bucket per API key and process: steady rate with room for a burst. */
const DEFAULT_RATE_PER_SECOND = 1_000
const DEFAULT_BURST = 2_000

type Budget = Pick<Caller, 'keyId' | 'ratePerSecond' | 'burst'>
type Bucket = { tokens: number; filledAt: number }

export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>()

  /** Takes one token, states the limit in the answer's headers, and throws a 429 when there is none. */
  admit(caller: Budget, reply: FastifyReply, nowMs: number, who = 'This API key'): void {
    const rate = caller.ratePerSecond ?? DEFAULT_RATE_PER_SECOND
    const burst = caller.burst ?? (caller.ratePerSecond === null ? DEFAULT_BURST : caller.ratePerSecond * 2)
    const bucket = this.#fill(caller.keyId, rate, burst, nowMs)
    const admitted = bucket.tokens >= 1
    if (admitted) bucket.tokens -= 1
    reply.header('ratelimit-limit', burst)
    reply.header('ratelimit-remaining', Math.floor(bucket.tokens))
    reply.header('ratelimit-reset', Math.ceil((burst - bucket.tokens) / rate))
    if (admitted) return
    throw new BursarError('RLE00000', `${who} may send ${rate} requests a second. Slow down and retry.`, {
      retryAfterS: Math.max(1, Math.ceil((1 - bucket.tokens) / rate)),
    })
  }

  #fill(keyId: string, rate: number, burst: number, nowMs: number): Bucket {
    const bucket = this.#buckets.get(keyId)
    if (bucket === undefined) {
      const full = { tokens: burst, filledAt: nowMs }
      this.#buckets.set(keyId, full)
      return full
    }
    const gained = ((nowMs - bucket.filledAt) / 1_000) * rate
    bucket.tokens = Math.min(burst, bucket.tokens + gained)
    bucket.filledAt = nowMs
    return bucket
  }
}
