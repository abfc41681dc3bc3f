import { CIRCUIT_OPENS_AT } from '../delivery-log/deliveries.rules.ts'
import type { Ended } from './attempt.ts'
import type { Claimed } from './delivery-engine.store.ts'

/**
 * Failures in a row whose results are not written yet, by subscription. The circuit opens when they are written; an
 * endpoint that refuses at once would until then get as many requests as it can answer. So with as many unwritten as
 * open the circuit nothing more is sent to the subscription; nor what a look at the queue that began before it opened
 * brings after it.
 */
export class UnwrittenFailures {
  readonly #counts = new Map<string, number>()

  #shutSinceLook: ReadonlySet<string> = new Set()

  isHeld({ webhook: { id, isPaused } }: Claimed): boolean {
    const isStale = this.#shutSinceLook.has(id) && !isPaused
    return isStale || (this.#counts.get(id) ?? 0) >= CIRCUIT_OPENS_AT
  }

  beginLook(): void {
    this.#shutSinceLook = new Set()
  }

  add({ finish: { claimed }, verdict }: Ended): void {
    const { id } = claimed.webhook
    if (verdict?.kind === 'delivered') this.#counts.delete(id)
    else this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1)
  }

  /** Answers the endpoints at which something may be held no longer. */
  remove(batch: readonly Ended[], shut: ReadonlySet<string>): Set<string> {
    this.#shutSinceLook = this.#shutSinceLook.union(shut)
    const failed = batch.filter(({ verdict }) => verdict?.kind !== 'delivered')
    for (const { finish } of failed) {
      const { id } = finish.claimed.webhook
      const left = (this.#counts.get(id) ?? 0) - 1
      if (left > 0) this.#counts.set(id, left)
      else this.#counts.delete(id)
    }
    return new Set(failed.map(({ finish }) => finish.claimed.webhook.origin))
  }
}
