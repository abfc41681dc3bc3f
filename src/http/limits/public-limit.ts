import { setTimeout as wait } from 'node:timers/promises'
import { BursarError } from '../../platform/errors.ts'
import type { Rate } from './token-buckets.ts'
import { VisitorLimit } from './visitor-limit.ts'

/** A refusal waits so long: a client that sends the next request after each answer gets one a second. */
const DELAY_MS = 1_000
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

  /** For callers who prove who they are: only those who fail to are counted. */
  async countFailures<Result>(from: { ip: string }, prove: () => Promise<Result>): Promise<Result> {
    try {
      return await prove()
    } catch (error) {
      if (error instanceof BursarError && error.httpStatus < 500) await this.admit(from)
      throw error
    }
  }
}
