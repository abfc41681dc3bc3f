import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

/**
 * Work that falls due by our clock. The rows themselves say when; a worker takes a batch, skipping what others
 * hold, until nothing is due, and then sleeps until the next moment or until it is woken. Several processes
 * share the work, because each claim skips locked rows.
 */
export type DueWork = {
  name: string
  /** Nothing that a person would want to read of. */
  isHousekeeping?: boolean
  /** Does some that are due now, about `limit` or all; answers how many it did. */
  runBatch(limit: number): Promise<number>
  /** When the next falls due, as far as is known. */
  nextAt(): Promise<Date | null>
  /** Where a clock that is moved far ahead has to stop, so that everything happens in its order; absent: nowhere. */
  nextStop?(): Promise<Date | null>
}

const BATCH = 200
const LONGEST_SLEEP_MS = 5_000
const AFTER_FAILURE_MS = 2_000
// What is due and was not done is held by somebody else: asking without a pause would only keep us busy.
const SHORTEST_SLEEP_MS = 100
const FINISH_LIMIT_MS = 60_000

export class DueWorker {
  readonly #works: readonly DueWork[]
  readonly #clock: Clock
  readonly #log: Log
  #running: Promise<void> | null = null
  #stopped = false
  #lastRoundAt: Date | null = null
  #lastFailure: { at: Date; message: string } | null = null
  #endSleep: () => void = () => {}

  constructor(works: readonly DueWork[], clock: Clock, log: Log) {
    this.#works = works
    this.#clock = clock
    this.#log = log
  }

  start(): void {
    this.#running ??= this.#loop()
  }

  /** Finishes the batch at hand. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#endSleep()
    await this.#running
  }

  /** How this process fares, in real time; null when it leaves the work to others. */
  get state(): { lastRoundAt: Date | null; lastFailure: { at: Date; message: string } | null } | null {
    return this.#running === null ? null : { lastRoundAt: this.#lastRoundAt, lastFailure: this.#lastFailure }
  }

  /** Does everything that is due; answers how many of each. */
  async runAllDue(): Promise<Record<string, number>> {
    const done: Record<string, number> = {}
    for (const work of this.#works) {
      let count = 0
      for (let batch = BATCH; batch === BATCH;) {
        batch = await work.runBatch(BATCH)
        count += batch
      }
      done[work.name] = count
    }
    return done
  }

  /** Does everything that is due and waits for what others are doing of it; answers how many of each we did. */
  async finishAllDue(): Promise<Record<string, number>> {
    const done: Record<string, number> = {}
    const deadline = Date.now() + FINISH_LIMIT_MS
    do {
      for (const [name, count] of Object.entries(await this.runAllDue()))
        done[name] = (done[name] ?? 0) + count
      if ((await this.#untilNext()) > SHORTEST_SLEEP_MS) break
      await wait(SHORTEST_SLEEP_MS)
    } while (Date.now() < deadline)
    for (const work of this.#works) if (work.isHousekeeping === true) delete done[work.name]
    return done
  }

  /** The first moment at which a moving clock has to stop. */
  async nextStop(): Promise<Date | null> {
    let first: Date | null = null
    for (const work of this.#works) {
      const stop = (await work.nextStop?.()) ?? null
      if (stop !== null && (first === null || stop < first)) first = stop
    }
    return first
  }

  async #loop(): Promise<void> {
    while (!this.#stopped) {
      let sleepMs = AFTER_FAILURE_MS
      try {
        await this.runAllDue()
        sleepMs = await this.#untilNext()
        this.#lastRoundAt = new Date()
      } catch (error) {
        this.#lastFailure = {
          at: new Date(),
          message: error instanceof Error ? error.message : String(error),
        }
        this.#log.warn({ err: error }, 'due work failed and is tried again')
      }
      if (!this.#stopped) await this.#sleep(sleepMs)
    }
  }

  async #untilNext(): Promise<number> {
    const now = this.#clock.now().getTime()
    let sleepMs = LONGEST_SLEEP_MS
    for (const work of this.#works) {
      const next = await work.nextAt()
      if (next !== null) sleepMs = Math.min(sleepMs, Math.max(SHORTEST_SLEEP_MS, next.getTime() - now))
    }
    return sleepMs
  }

  async #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#endSleep = resolve
    await promise
    clearTimeout(timer)
  }
}
