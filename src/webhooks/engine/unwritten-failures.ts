import { CIRCUIT_OPENS_AT } from '../delivery-log/deliveries.rules.ts'
import type { Ended } from './attempt.ts'
import type { Claimed } from './delivery-engine.store.ts'

/**
 * Failures in a row whose results are not written yet, by subscription. The circuit opens when they are written; an
 * endpoint that refuses at once would until then get as many requests as it can answer. So with as many unwritten as
 * open the circuit nothing more is sent to the subscription.
 */
export class UnwrittenFailures {
  readonly #counts = new Map<string, number>()

  isHeld({ webhook }: Claimed): boolean {
    return (this.#counts.get(webhook.id) ?? 0) >= CIRCUIT_OPENS_AT
  }

  add({ finish: { claimed }, verdict }: Ended): void {
    const { id } = claimed.webhook
    if (verdict?.kind === 'delivered') this.#counts.delete(id)
    else this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1)
  }

  /** Answers the endpoints at which something may be held no longer. */
  remove(batch: readonly Ended[]): Set<string> {
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
