import { BursarError } from '../platform/errors.ts'
import type { Ground } from '../platform/ground.ts'
import type { Log } from '../platform/log.ts'
import { recordAttempts } from './attempts.service.ts'
import type { Ended } from './ended.ts'

/** Told what is written, or cannot be, and the subscriptions that get nothing more for now. */
type OnWritten = (batch: readonly Ended[], shut: ReadonlySet<string>) => void

const WRITE_AT_ONCE = 500
const WRITE_AFTER_MS = 50

/**
 * Writes the results of attempts down, one batch after the other. A success can wait for company. Anything else is
 * written at once, together with what came during the batch before: until it is, an endpoint that is down gets more.
 */
export class Results {
  readonly #ground: Ground
  readonly #log: Log
  readonly #onWritten: OnWritten
  #waiting: Ended[] = []
  #isUrgent = false
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> | null = null

  constructor(ground: Ground, log: Log, onWritten: OnWritten) {
    this.#ground = ground
    this.#log = log
    this.#onWritten = onWritten
  }

  add(ended: Ended): void {
    this.#waiting.push(ended)
    if (ended.verdict?.kind !== 'delivered' || this.#waiting.length >= WRITE_AT_ONCE) void this.writeAll()
    else this.#timer ??= setTimeout(() => void this.writeAll(), WRITE_AFTER_MS)
  }

  /** What has been added until now. */
  writeAll(): Promise<void> {
    this.#isUrgent = true
    this.#writing ??= this.#writeWhileUrgent()
    return this.#writing
  }

  async #writeWhileUrgent(): Promise<void> {
    while (this.#isUrgent) {
      if (this.#timer !== null) clearTimeout(this.#timer)
      this.#timer = null
      this.#isUrgent = false
      const batch = this.#waiting
      this.#waiting = []
      if (batch.length > 0) await this.#write(batch)
    }
    this.#writing = null
  }

  async #write(batch: readonly Ended[]): Promise<void> {
    const shut = new Set<string>()
    try {
      for (const id of await recordAttempts(this.#ground, batch)) shut.add(id)
    } catch {
      // One that cannot be written must not take the others with it, nor a subscription that is locked all the others.
      const bySubscription = Map.groupBy(batch, ({ finish }) => finish.claimed.webhook.id)
      for (const part of bySubscription.values()) {
        for (const id of await this.#writePart(part)) shut.add(id)
      }
    }
    this.#onWritten(batch, shut)
  }

  async #writePart(part: readonly Ended[]): Promise<string[]> {
    try {
      return await recordAttempts(this.#ground, part)
    } catch (error) {
      const [first, ...others] = part
      if (others.length > 0 && !isAway(error)) {
        const each = await Array.fromAsync(part, ended => this.#writePart([ended]))
        return each.flat()
      }
      // Their claims run out and they are sent again: at least once, never silently lost.
      this.#log.warn(
        { err: error, delivery_id: first?.finish.claimed.id, count: part.length },
        'results could not be written',
      )
      return []
    }
  }
}

/** The database, or a row that somebody else holds: to try with each alone would only wait as often. */
function isAway(error: unknown): boolean {
  return error instanceof BursarError && error.code === 'SYE00001'
}
