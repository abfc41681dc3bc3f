import { readFeeHeads } from '../../fees/fee-heads.service.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { NO_DESTINATIONS, type Destinations } from './destinations.rules.ts'
import * as store from './settlement-accounts.store.ts'

type Cached = { readAt: number; destinations: Promise<Destinations> }

const FRESH_MS = 5_000
/** When a process has read so many institutes, it forgets them all and begins anew. */
const MOST_INSTITUTES = 10_000

/**
 * Where the components of each institute are settled. Like its accounts they are read again after 5 s: a payment that starts
 * meanwhile is split as it was set up before, which is harmless.
 */
export class DestinationReader {
  readonly #db: Queryable
  readonly #cache = new Map<number, Cached>()

  constructor(db: Queryable) {
    this.#db = db
  }

  async of(instituteId: number): Promise<Destinations> {
    const cached = this.#cache.get(instituteId)
    const now = performance.now()
    if (cached !== undefined && now - cached.readAt < FRESH_MS) return cached.destinations
    if (this.#cache.size >= MOST_INSTITUTES) this.#cache.clear()
    const destinations = readDestinations(this.#db, instituteId)
    this.#cache.set(instituteId, { readAt: now, destinations })
    // A failed read is not cached; its callers get the error.
    destinations.catch(() => this.forget(instituteId))
    return destinations
  }

  /** After a change in this process. */
  forget(instituteId: number): void {
    this.#cache.delete(instituteId)
  }
}

/** One statement for an institute whose money all goes to one bank account. */
async function readDestinations(db: Queryable, instituteId: number): Promise<Destinations> {
  const components = await store.listComponentAccounts(db, instituteId)
  if (components.length === 0) return NO_DESTINATIONS
  const [accounts, headOf] = await Promise.all([
    store.listSettlementAccounts(db, instituteId),
    readFeeHeads(db, instituteId),
  ])
  const named = new Map(
    components.map(({ componentType, bankAccountId: id, name }) => [componentType, { id, name }]),
  )
  return {
    namedBy: componentType => named.get(componentType) ?? named.get(headOf(componentType)) ?? null,
    linked: accounts.map(store.toLinked),
  }
}
