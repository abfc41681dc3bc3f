/** What has to be over by a moment. */
export type Limited = { readonly startedAt: number; giveUp(): void }

/**
 * Watches requests that may each take so long, with one timer for all: they run out in the order in which they began.
 * A timer each would be made and thrown away thousands of times a second, and almost none of them ever rings.
 */
export class Deadlines {
  readonly #byLength = new Map<number, Watch>()

  watch(one: Limited, timeoutMs: number): void {
    let watch = this.#byLength.get(timeoutMs)
    if (watch === undefined) {
      watch = new Watch(timeoutMs)
      this.#byLength.set(timeoutMs, watch)
    }
    watch.add(one)
  }

  /** It is over. */
  release(one: Limited, timeoutMs: number): void {
    if (this.#byLength.get(timeoutMs)?.delete(one) === 'was the last') this.#byLength.delete(timeoutMs)
  }
}

class Watch {
  readonly #timeoutMs: number
  readonly #running = new Set<Limited>()
  #timer: NodeJS.Timeout | null = null

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  add(one: Limited): void {
    this.#running.add(one)
    this.#timer ??= setTimeout(() => this.#ring(), this.#timeoutMs)
  }

  delete(one: Limited): 'was the last' | 'others run' {
    this.#running.delete(one)
    if (this.#running.size > 0) return 'others run'
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    return 'was the last'
  }

  #ring(): void {
    this.#timer = null
    const now = performance.now()
    for (const one of this.#running) {
      const left = one.startedAt + this.#timeoutMs - now
      if (left > 0) {
        this.#timer ??= setTimeout(() => this.#ring(), Math.ceil(left))
        return
      }
      one.giveUp()
    }
  }
}
