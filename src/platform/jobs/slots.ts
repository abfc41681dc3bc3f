/** How a row or batch ended. */
export type TaskEnd = { durationMs: number } & ({ rows: number } | { error: unknown })

class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded'

  constructor(limitMs: number) {
    super(`took longer than ${limitMs} ms and was abandoned`)
  }
}

type SlotsOptions = { size: number; timeLimitMs: number; onEnd?: (end: TaskEnd) => void }

/**
 * The places in which one job's rows or batches are worked on. A task that passes its time limit ends as failed for
 * everybody who waits for it, but keeps its slot until it really ends: otherwise a job that hangs would pile up copies.
 */
export class Slots {
  readonly timeLimitMs: number
  readonly #size: number
  readonly #onEnd: (end: TaskEnd) => void
  readonly #atHand = new Set<Promise<TaskEnd>>()
  #taken = 0
  #isClosed = false
  #waiting: (() => void)[] = []

  constructor({ size, timeLimitMs, onEnd = () => {} }: SlotsOptions) {
    this.timeLimitMs = timeLimitMs
    this.#size = size
    this.#onEnd = onEnd
  }

  /** None once it is closed. */
  get free(): number {
    return this.#isClosed ? 0 : this.#size - this.#taken
  }

  /** Resolves when a slot is free, or when there will be none any more. */
  async untilFree(): Promise<void> {
    if (this.free > 0 || this.#isClosed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    await promise
  }

  /** Takes a slot. Never rejects. */
  async run(task: () => Promise<number>): Promise<TaskEnd> {
    this.#taken++
    const end = this.#watch(task())
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
    const { promise: limit, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new TimeLimitExceeded(this.timeLimitMs)), this.timeLimitMs)
    const settled = work.finally(() => {
      this.#taken--
      this.#wake()
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

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
