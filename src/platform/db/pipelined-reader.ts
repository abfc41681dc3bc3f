import type pg from 'pg'
import { endClient, gatherWrites, namedQuery, onLost, sendQuery } from './client.ts'

/**
 * One pipelined connection for point reads: many are on the wire at once, so a read costs no wait for a free
 * pool client and fewer system calls. Only short primary-key reads belong here, a slow one holds up all
 * behind it. A lost connection fails what is in flight; the next read opens another.
 */
export class PipelinedReader {
  readonly #open: () => pg.Client
  #client: Promise<pg.Client> | null = null

  constructor(open: () => pg.Client) {
    this.#open = open
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const client = await (this.#client ?? this.#connect())
    // What other requests of this turn of the event loop ask leaves in the same system call.
    gatherWrites(client, setImmediate)
    const result = await sendQuery<Row>(client, namedQuery(text, values))
    return result.rows
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#client = null
    if (client === null) return
    try {
      await endClient(await client)
    } catch {
      // It never connected or is lost already: nothing to close.
    }
  }

  #connect(): Promise<pg.Client> {
    const client = this.#open()
    const connecting = client.connect().then(() => client)
    onLost(client, connecting, () => {
      if (this.#client === connecting) this.#client = null
    })
    this.#client = connecting
    return connecting
  }
}

type PointReads = {
  pointRead<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]>
}

/** Processes and jobs that wait for something to be written share one read, so the database is asked once for all of them. */
export class SharedSnapshots {
  readonly #db: PointReads
  #last = { readAt: -Infinity, text: Promise.resolve('') }

  constructor(db: PointReads) {
    this.#db = db
  }

  read(maxAgeMs: number): Promise<string> {
    const now = performance.now()
    if (now - this.#last.readAt < maxAgeMs) return this.#last.text
    const text = this.#db
      .pointRead<{ snapshot: string }>(`select pg_current_snapshot()::text as snapshot`, [])
      .then(([row]) => row?.snapshot ?? '')
      .catch((error: unknown) => {
        this.#last.readAt = -Infinity
        throw error
      })
    this.#last = { readAt: now, text }
    return text
  }
}
