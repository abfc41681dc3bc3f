import type { Context } from '../platform/context.ts'
import { fingerprintContent } from './cell.store.ts'
import type { CellConnections } from './connections.ts'
import { syncDirectory, type SyncResult } from './directory.service.ts'
import * as store from './directory.store.ts'
import { publishRoutes, type Proxies, type ProxyResult } from './maps.service.ts'

export type Synced = { sync: SyncResult; results: ProxyResult[] }

/** Cells into the directory, the directory into files and proxies. */
export async function syncOnce(
  ctx: Pick<Context, 'db'>,
  connections: CellConnections,
  proxies: Proxies,
): Promise<Synced> {
  const sync = await syncDirectory(ctx, connections)
  return { sync, results: await publishRoutes(ctx, proxies) }
}

/** Everything is read again after so long, whatever the fingerprints say: a proxy may have been restarted with old files. */
const WHOLE_EVERY_MS = 10_000

/**
 * Looks every second whether something has changed, which costs one short statement in each cell, and reads everything
 * only then. A new key is routed about a second after it was made.
 */
export class Watch {
  readonly #ctx: Pick<Context, 'db'>
  readonly #connections: CellConnections
  readonly #proxies: Proxies
  #seen = ''
  #wholeAtMs = -Infinity

  constructor(ctx: Pick<Context, 'db'>, connections: CellConnections, proxies: Proxies) {
    this.#ctx = ctx
    this.#connections = connections
    this.#proxies = proxies
  }

  /** Null: nothing has changed. */
  async look(): Promise<Synced | null> {
    const nowMs = performance.now()
    const prints = await this.#readPrints()
    if (prints === this.#seen && nowMs - this.#wholeAtMs < WHOLE_EVERY_MS) return null
    const synced = await syncOnce(this.#ctx, this.#connections, this.#proxies)
    this.#seen = prints
    this.#wholeAtMs = nowMs
    return synced
  }

  async #readPrints(): Promise<string> {
    const { db } = this.#ctx
    const [directory, cells] = await Promise.all([store.fingerprintDirectory(db), store.listCells(db)])
    const prints = await Promise.all(
      cells.map(cell => this.#connections.ask(cell, fingerprintContent).catch(() => 'away')),
    )
    return [directory, ...prints].join('\n')
  }
}
