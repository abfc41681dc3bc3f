import type { Institute } from '../institutes/institutes.rules.ts'
import type { Database } from '../platform/db/database.ts'
import { notFound } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import * as store from './requests.store.ts'

export type { LoggedRequest } from './requests.store.ts'

const FLUSH_EVERY_MS = 1_000
const FLUSH_AT = 500
/** Ten batches: what comes in while the database is away for some seconds. */
const MOST_WAITING = 5_000

/**
 * What ERPs asked, written down beside their requests and never in their way: a request only puts a row into memory.
 * Rows are written within a second, or when there are 500 of them, by one statement at a time. Where the database is away or
 * too slow for them they are dropped and counted: a log is not worth a request.
 */
export class RequestLog {
  readonly #db: Database
  #timer: NodeJS.Timeout | null = null
  #rows: store.NewRequest[] = []
  #writing: Promise<void> | null = null
  #dropped = 0

  constructor(db: Database) {
    this.#db = db
  }

  /** How many were not written down since the start. */
  get dropped(): number {
    return this.#dropped
  }

  add(row: store.NewRequest): void {
    if (this.#rows.length >= MOST_WAITING) {
      this.#dropped++
      return
    }
    this.#writeSoon()
    if (this.#rows.push(row) === FLUSH_AT) setImmediate(() => void this.#write())
  }

  /** Writes down what there is, once; with the last request answered. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    while (this.#writing !== null) await this.#writing
    await this.#write()
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      void this.#write()
    }, FLUSH_EVERY_MS).unref()
  }

  #write(): Promise<void> | null {
    if (this.#writing !== null || this.#rows.length === 0) return this.#writing
    const rows = this.#rows
    this.#rows = []
    this.#writing = this.#insert(rows).finally(() => {
      this.#writing = null
      if (this.#rows.length >= FLUSH_AT) void this.#write()
      else if (this.#rows.length > 0) this.#writeSoon()
    })
    return this.#writing
  }

  async #insert(rows: readonly store.NewRequest[]): Promise<void> {
    try {
      await store.insertRequests(this.#db, rows)
    } catch {
      this.#dropped += rows.length
    }
  }
}

export async function findRequest(
  { db }: Context,
  institute: Institute,
  id: string,
): Promise<store.LoggedRequest | null> {
  return store.findRequest(db, institute.id, id)
}

/** One of this key, if there is one. */
export async function getRequest(
  { db }: Context,
  institute: Institute,
  id: string,
  keyId?: string,
): Promise<store.LoggedRequest> {
  const request = await store.findRequest(db, institute.id, id)
  if (request === null || (keyId !== undefined && request.keyId !== keyId))
    throw notFound('This request, which came with a key of yours within the last month,')
  return request
}
