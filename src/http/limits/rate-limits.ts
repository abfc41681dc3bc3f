import type { FastifyReply } from 'fastify'
import { setTimeout as wait } from 'node:timers/promises'
import type { Caller } from '../../institutes/institutes.rules.ts'
import { BursarError } from '../../platform/errors.ts'
import { LIMITS, networkOf, type Rate as LimitRate } from '../../platform/rate-limits.rules.ts'

/** The limit of each API key, or of each session of the console. */
const { burst: DEFAULT_BURST, perMinute } = LIMITS.apiKey.rate
const DEFAULT_RATE_PER_SECOND = perMinute / 60

type Budget = Pick<Caller, 'keyId' | 'ratePerSecond' | 'burst'>

export class RateLimiter {
  readonly #buckets = new TokenBuckets()

  /** Takes one token, states the limit in the answer's headers, and throws a 429 when there is none. */
  admit(caller: Budget, reply: FastifyReply, nowMs: number, who = 'This API key'): void {
    const perSecond = caller.ratePerSecond ?? DEFAULT_RATE_PER_SECOND
    const burst = caller.burst ?? (caller.ratePerSecond === null ? DEFAULT_BURST : caller.ratePerSecond * 2)
    const { isAdmitted, tokens } = this.#buckets.take(caller.keyId, { perSecond, burst }, nowMs)
    reply.header('ratelimit-limit', burst)
    reply.header('ratelimit-remaining', Math.floor(tokens))
    reply.header('ratelimit-reset', Math.ceil((burst - tokens) / perSecond))
    if (isAdmitted) return
    throw new BursarError(
      'RLE00000',
      `${who} may send ${perSecond} requests a second. Slow down and retry.`,
      {
        retryAfterS: Math.max(1, Math.ceil((1 - tokens) / perSecond)),
      },
    )
  }
}

/**
 * The limit of each address, for pages that anybody can send. Many phones share an address, so it is wide enough for a
 * class of parents and too narrow for a program.
 */
export class VisitorLimit {
  readonly #buckets = new TokenBuckets()
  readonly #rate: Rate

  constructor({ rate: { burst, perMinute } }: { rate: LimitRate }) {
    this.#rate = { burst, perSecond: perMinute / 60 }
  }

  /** Takes one token; false when there is none. */
  admits(ip: string, nowMs: number): boolean {
    return this.#buckets.take(networkOf(ip), this.#rate, nowMs).isAdmitted
  }

  /** Takes one token; a 429 when there is none. */
  admit(ip: string, nowMs: number): void {
    if (this.admits(ip, nowMs)) return
    const retryAfterS = Math.ceil(1 / this.#rate.perSecond)
    throw new BursarError(
      'RLE00000',
      'Too many requests come from your address. Wait a little and try again.',
      { retryAfterS },
    )
  }
}

/** A refusal waits so long: a client that sends the next request after each answer gets one a second. */
const DELAY_MS = 1_000
/** A refusal that waits holds a connection: beyond so many they are sent at once. */
const MAX_DELAYED = 2_000

/** The limit of each address, for everything that is answered without a key, a session or a signature. */
export class PublicLimit {
  readonly #limit: VisitorLimit
  #delayed = 0

  constructor({ perSecond, burst }: Rate) {
    this.#limit = new VisitorLimit({ rate: { burst, perMinute: perSecond * 60 } })
  }

  /** Counts a request; a 429 once there were too many. */
  async admit({ ip }: { ip: string }): Promise<void> {
    if (this.#limit.admits(ip, performance.now())) return
    if (this.#delayed < MAX_DELAYED) {
      this.#delayed++
      await wait(DELAY_MS)
      this.#delayed--
    }
    throw new BursarError(
      'RLE00000',
      'Too many requests come from your address. Wait a few seconds and try again.',
      { retryAfterS: 5 },
    )
  }

  /** Counts only failures, for callers who prove who they are. */
  async countFailures<Result>(from: { ip: string }, prove: () => Promise<Result>): Promise<Result> {
    try {
      return await prove()
    } catch (error) {
      if (error instanceof BursarError && error.httpStatus < 500) await this.admit(from)
      throw error
    }
  }
}

/**
 * Token buckets by key, in one process: a steady rate with room for a burst. A bucket that is full again is the same as
 * none, so those are dropped; the one unused for longest goes first if there are too many all the same.
 */
const MAX_BUCKETS = 10_000

type Bucket = { tokens: number; filledAt: number; fullAt: number }
export type Rate = { perSecond: number; burst: number }

export class TokenBuckets {
  /** Buckets in the order of their last use. */
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
