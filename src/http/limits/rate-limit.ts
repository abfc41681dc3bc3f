import type { FastifyReply } from 'fastify'
import type { Caller } from '../../institutes/institutes.rules.ts'
import { BursarError } from '../../platform/errors.ts'
import { LIMITS } from '../../platform/rate-limits.rules.ts'
import { TokenBuckets } from './token-buckets.ts'

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
