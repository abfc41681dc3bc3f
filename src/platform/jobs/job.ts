import type { WakeupChannel } from '../db/transaction.ts'
import { inSpan } from '../tracing/spans.ts'

/** Work that falls due by itself. It is data: the runner gives each job a loop, slots, a back-off and figures of its own. */
export type Job = {
  name: string
  /** `work` runs whenever something is due; `purge` deletes what is past its time, or looks after things in another way, once an hour. */
  kind: 'work' | 'purge'
  /** How many rows or batches this process works on at a time. */
  concurrency: number
  /** Limit for one row or batch. One that takes longer counts as failed and frees its slot. */
  timeLimitMs: number
  run: Run
  /** Notified when there may be something new to do; absent: the job looks every few seconds. */
  wakesOn?: WakeupChannel
  /** When the oldest row is or falls due, by our clock; absent: the job looks every few seconds. */
  nextDueAt?(): Promise<Date | null>
  /** Where a clock that is moved far ahead must stop, so that everything happens in its order; absent: nowhere. */
  nextStop?(): Promise<Date | null>
}

/** Starts what is due in free slots; returns whether more may be due already. */
export type Run = (slots: Slots) => Promise<boolean>

/** Runs until nothing more is due and everything that was started has ended. */
export async function runUntilDone(run: Run, slots: Slots): Promise<void> {
  try {
    while (await run(slots));
  } finally {
    await slots.idle()
  }
}

/** How a row or batch ended. */
export type TaskEnd = { durationMs: number } & ({ rows: number } | { error: unknown })

class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded'

  constructor(limitMs: number) {
    super(`took longer than ${limitMs} ms and was abandoned`)
  }
}

type SlotsOptions = { job?: string; size: number; timeLimitMs: number; onEnd?: (end: TaskEnd) => void }

/** Each keeps little more than a promise; beyond so many a job that does nothing but hang had better stop. */
const MOST_ABANDONED = 1_000

/**
 * Limits how many of one job's rows or batches are worked on at a time. A task that passes its time limit ends as failed
 * and frees its slot, so a job whose tasks all hang recovers without a restart. It may still end much later, while its
 * row is worked on again: what prevents doing a thing twice is in the database, as it is between two processes.
 */
export class Slots {
  readonly timeLimitMs: number
  readonly #job: string
  readonly #size: number
  readonly #onEnd: (end: TaskEnd) => void
  readonly #atHand = new Set<Promise<TaskEnd>>()
  #taken = 0
  #abandoned = 0
  #isClosed = false
  #waiting: (() => void)[] = []

  constructor({ job = 'job', size, timeLimitMs, onEnd = () => {} }: SlotsOptions) {
    this.#job = job
    this.timeLimitMs = timeLimitMs
    this.#size = size
    this.#onEnd = onEnd
  }

  /** Tasks that passed their time limit and have not ended yet. */
  get abandoned(): number {
    return this.#abandoned
  }

  /** The process stops: what takes long and can be begun again ends early. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** None once it is closed. */
  get free(): number {
    return this.#isClosed ? 0 : this.#size - this.#taken
  }

  /** Resolves when a slot is free, or when there will be none any more. */
  untilFree(): Promise<void> {
    return this.#untilFree(1)
  }

  /** The same for half of them: who takes several at once need not come for each. */
  untilHalfFree(): Promise<void> {
    return this.#untilFree(Math.ceil(this.#size / 2))
  }

  async #untilFree(count: number): Promise<void> {
    while (this.free < count && !this.#isClosed) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push(resolve)
      await promise
    }
  }

  /** Takes a slot. Never rejects. */
  async run(task: () => Promise<number>): Promise<TaskEnd> {
    this.#taken++
    const end = this.#watch(inSpan(this.#job, {}, task))
    this.#atHand.add(end)
    void end.then(() => this.#atHand.delete(end))
    return end
  }

  /** Nothing new starts; what is at hand goes on. */
  close(): void {
    this.#isClosed = true
    this.#wake()
  }

  /** Resolves when everything at hand has ended or was abandoned. */
  async idle(): Promise<void> {
    await Promise.all(this.#atHand)
  }

  async #watch(work: Promise<number>): Promise<TaskEnd> {
    const began = performance.now()
    let isAbandoned = false
    const { promise: limit, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      reject(new TimeLimitExceeded(this.timeLimitMs))
      if (this.#abandoned >= MOST_ABANDONED) return
      isAbandoned = true
      this.#abandoned++
      this.#free()
    }, this.timeLimitMs)
    const settled = work.finally(() => {
      if (isAbandoned) this.#abandoned--
      else this.#free()
    })
    let outcome: { rows: number } | { error: unknown }
    try {
      outcome = { rows: await Promise.race([settled, limit]) }
    } catch (error) {
      outcome = { error }
    }
    clearTimeout(timer)
    const end = { ...outcome, durationMs: performance.now() - began }
    this.#onEnd(end)
    return end
  }

  #free(): void {
    this.#taken--
    this.#wake()
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
