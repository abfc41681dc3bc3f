/**
 * Keeps jobs from looking for work in a database in which nothing happens. A row falls due by a write or by the passing of
 * time: the time is known to its job, and this asks, with one statement for all jobs, whether anything was written.
 */
export class Pulse {
  readonly #read: () => Promise<string>
  readonly #everyMs: number
  readonly #sleepers: readonly { wake(): void }[]
  readonly #timers = new Set<NodeJS.Timeout>()
  #last: string | null = null
  #asking: Promise<void> | null = null

  constructor(read: () => Promise<string>, everyMs: number, sleepers: readonly { wake(): void }[]) {
    this.#read = read
    this.#everyMs = everyMs
    this.#sleepers = sleepers
  }

  start(): void {
    this.#timers.add(setInterval(() => void (this.#asking ??= this.#ask()), this.#everyMs))
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#asking
  }

  async #ask(): Promise<void> {
    // A database that does not answer says nothing of itself; the jobs find out when they look.
    const now = await this.#read().catch(() => null)
    if (now !== this.#last) this.#wakeInTurn()
    this.#last = now
    this.#asking = null
  }

  /** Spread over half the time until the next question, so that not all ask the database at once. */
  #wakeInTurn(): void {
    const stepMs = this.#everyMs / 2 / this.#sleepers.length
    for (const [index, sleeper] of this.#sleepers.entries()) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        sleeper.wake()
      }, index * stepMs)
      this.#timers.add(timer)
    }
  }
}
