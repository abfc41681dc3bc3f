/** Runs what it is given in the order in which it came, at most one in a turn of the event loop. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #isScheduled = false

  take(run: () => void): void {
    this.#waiting.push(run)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const run = this.#waiting.shift()
      this.#schedule()
      run?.()
    })
  }
}
