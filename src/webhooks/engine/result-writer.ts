import type { Context } from '../../platform/context.ts'
import { bisectOnFailure } from '../../platform/jobs/bisect-on-failure.ts'
import type { Log } from '../../platform/log.ts'
import { recordAttempts } from './attempts.service.ts'
import type { Ended } from './attempt.ts'

/** Told what is written, or cannot be, and the subscriptions that get nothing more for now. */
type OnWritten = (batch: readonly Ended[], shut: ReadonlySet<string>) => void

const WRITE_AT_ONCE = 500
const WRITE_AFTER_MS = 50

/**
 * Writes the results of attempts down, one batch after the other. A success can wait for company. Anything else is
 * written at once, together with what came during the batch before: until it is, an endpoint that is down gets more.
 */
export class Results {
  readonly #ctx: Context
  readonly #log: Log
  readonly #onWritten: OnWritten
  #waiting: Ended[] = []
  #isUrgent = false
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> | null = null

  constructor(ctx: Context, log: Log, onWritten: OnWritten) {
    this.#ctx = ctx
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
    const record = async (some: readonly Ended[]): Promise<void> => {
      for (const id of await recordAttempts(this.#ctx, some)) shut.add(id)
    }
    try {
      await record(batch)
    } catch {
      // A subscription that somebody holds must not take the others with it.
      const bySubscription = Map.groupBy(batch, ({ finish }) => finish.claimed.webhook.id)
      for (const part of bySubscription.values()) await this.#writePart(part, record)
    }
    this.#onWritten(batch, shut)
  }

  async #writePart(part: readonly Ended[], record: (some: readonly Ended[]) => Promise<void>): Promise<void> {
    try {
      await bisectOnFailure(part, record, async (ended, error) => this.#giveUp([ended], error))
    } catch (error) {
      this.#giveUp(part, error)
    }
  }

  /** Their claims run out and they are sent again: at least once, never silently lost. */
  #giveUp(part: readonly Ended[], error: unknown): void {
    const ids = part.map(({ finish }) => finish.claimed.id)
    this.#log.warn({ err: error, delivery_ids: ids }, 'webhook delivery results could not be written')
  }
}
