import { BursarError } from '../../platform/errors.ts'
import type { Rate as LimitRate } from '../../platform/rate-limits.rules.ts'
import { networkOf } from '../../platform/network.ts'
import { TokenBuckets, type Rate } from './token-buckets.ts'

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
