import type { Clock } from '../clock.ts'
import { isMoving } from '../errors.ts'
import type { JobRecord } from './figures.ts'
import type { Job } from './job.ts'
import { Slots } from './slots.ts'

/** One job's loop: runs what is due, then pauses until the next row falls due; after a failure it backs off. */
export class JobLoop {
  readonly #job: Job
  readonly #record: JobRecord
  readonly #clock: Clock
  readonly #timing: JobTiming
  readonly #slots: Slots
  #running: Promise<void> | null = null
  #stopped = false
  /** Something came while it worked. */
  #isWoken = false
  #endPause: () => void = () => {}
  /** Ends a pause in which nothing was known to be due. */
  #wakeUp: () => void = () => {}

  constructor(job: Job, record: JobRecord, { clock, timing }: { clock: Clock; timing: JobTiming }) {
    this.#job = job
    this.#record = record
    this.#clock = clock
    this.#timing = timing
    const { name, concurrency: size, timeLimitMs } = job
    this.#slots = new Slots({ job: name, size, timeLimitMs, onEnd: end => record.endTask(end) })
  }

  get abandoned(): number {
    return this.#slots.abandoned
  }

  start(): void {
    this.#running ??= this.#loop()
  }

  /** There may be something to do before the next look. */
  wake(): void {
    this.#isWoken = true
    this.#wakeUp()
  }

  /** Ends after the rows at hand, or when their time limit abandons them. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#slots.close()
    this.#endPause()
    await this.#running
  }

  async #loop(): Promise<void> {
    if (this.#job.kind === 'purge') await this.#pause(Math.random() * this.#timing.firstPurgeWithinMs)
    while (!this.#stopped) await this.#pause(await this.#runOnce())
    await this.#slots.idle()
  }

  /** Returns for how long to pause. */
  async #runOnce(): Promise<number> {
    try {
      this.#isWoken = false
      const isMore = await this.#job.run(this.#slots)
      this.#record.endRun()
      return isMore ? 0 : await this.#sleepUntilDue()
    } catch (error) {
      if (isMoving(error)) return this.#timing.heldPauseMs
      this.#record.failRun(error)
      return backOffMs(this.#record.failedRuns, this.#timing)
    }
  }

  /** Pauses until something is due or somebody notifies it, so that nothing is left to pause for afterwards. */
  async #sleepUntilDue(): Promise<number> {
    const ms = await this.#untilDue()
    const { wakeupDelayMs } = this.#timing
    const soon = (): void => void setTimeout(this.#endPause, wakeupDelayMs)
    const sleeping = this.#pause(ms)
    this.#wakeUp = soon
    if (this.#isWoken) soon()
    await sleeping
    this.#wakeUp = () => {}
    return 0
  }

  async #untilDue(): Promise<number> {
    const { longestPauseMs, heldPauseMs, purgeEveryMs } = this.#timing
    if (this.#job.kind === 'purge') return purgeEveryMs
    const next = (await this.#job.nextDueAt?.()) ?? null
    if (next === null) return longestPauseMs
    const inMs = next.getTime() - this.#clock.now().getTime()
    return inMs <= 0 ? heldPauseMs : Math.min(inMs, longestPauseMs)
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#stopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#endPause = resolve
    await promise
    clearTimeout(timer)
  }
}

/** All times are real; tests shorten them. */
export type JobTiming = {
  /** A job looks at least so often while anything is written, whatever it knows about what falls due. */
  longestPauseMs: number
  /** Pause between looks while nothing is due. */
  quietPauseMs: number
  /** Time from a notification to the look: what comes in the meantime is taken in one batch. */
  wakeupDelayMs: number
  /** What is due and could not be claimed is held by somebody else: asking without a pause would only keep us busy. */
  heldPauseMs: number
  firstBackOffMs: number
  longestBackOffMs: number
  purgeEveryMs: number
  /** The first purge waits for a random part of it, so that processes that start together do not purge together. */
  firstPurgeWithinMs: number
}

export const STANDARD_TIMING: JobTiming = {
  longestPauseMs: 5_000,
  quietPauseMs: 60_000,
  wakeupDelayMs: 200,
  heldPauseMs: 500,
  firstBackOffMs: 500,
  longestBackOffMs: 15_000,
  purgeEveryMs: 3_600_000,
  firstPurgeWithinMs: 60_000,
}

/** Doubles with each failure in a row; between half and all of it, so that jobs that failed together spread out. */
function backOffMs(failuresInARow: number, timing: JobTiming): number {
  const { firstBackOffMs, longestBackOffMs } = timing
  const whole = Math.min(longestBackOffMs, firstBackOffMs * 2 ** (failuresInARow - 1))
  return whole * (0.5 + Math.random() / 2)
}
