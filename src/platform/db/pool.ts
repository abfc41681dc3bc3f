import pg from 'pg'
import { namedQuery, typeParsers } from './client.ts'
import type { PrimaryClient, Servers } from './servers.ts'

const LIMITS = {
  statement_timeout: 10_000,
  lock_timeout: 8_000,
  idle_in_transaction_session_timeout: 30_000,
}

export const SESSION: pg.ClientConfig = {
  types: typeParsers,
  application_name: 'bursar',
  connectionTimeoutMillis: 3_000,
  query_timeout: LIMITS.statement_timeout + 1_000,
}

/** Limits of connections that lead to one server for as long as they last. */
export const LIMITED_SESSION: pg.ClientConfig = { ...SESSION, ...LIMITS }

type PoolOptions = {
  servers: Servers
  /** The pooler between us and the server, which lends a connection for one transaction at a time. */
  pooler: pg.ClientConfig | null
  /** Name of our connections; a pooler's belong to many processes and have none. */
  name: string | undefined
  size: number
  stream: NonNullable<pg.ClientConfig['stream']>
}

/** The connections that transactions run on, and how a statement and the beginning of a transaction are said there. */
export class TransactionPool {
  readonly #pool: pg.Pool
  /** Begins a transaction. */
  readonly begin: string
  readonly toQuery: typeof namedQuery

  constructor({ servers, pooler, name, size, stream }: PoolOptions) {
    // Statements that do not wait for each other leave together: the work of a transaction starts with its `begin`.
    const common = { stream, pipeline: true, max: size, idleTimeoutMillis: 60_000 }
    if (pooler === null) {
      const session = { ...LIMITED_SESSION, application_name: name }
      this.#pool = new pg.Pool({ ...common, ...session, Client: servers.clientClass() })
      this.begin = 'begin'
      this.toQuery = namedQuery
    } else {
      // The session behind it may be another one the next time: nothing is prepared in it, and it has no limits of its own.
      this.#pool = new pg.Pool({ ...common, ...SESSION, ...pooler })
      this.begin = `begin; ${Object.entries(LIMITS)
        .map(([name, value]) => `set local ${name} = ${value}`)
        .join('; ')}`
      this.toQuery = (text, values) => ({ text, values: [...values] })
    }
    // The same while it is lent out and between two queries; its next query fails and tells its borrower.
    this.#pool.on('connect', client => client.on('error', () => {}))
  }

  /** Node ends the process when an idle connection is lost and nobody handles it. */
  onIdleError(told: (error: Error) => void): void {
    this.#pool.on('error', told)
  }

  /** Open and waiting connections. */
  get load(): { total: number; idle: number; waiting: number } {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount }
  }

  async borrow(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#pool.connect()
      const { isCurrent = true } = client as pg.ClientBase as Partial<PrimaryClient>
      if (isCurrent) return client
      client.release(true)
    }
  }

  end(): Promise<void> {
    return this.#pool.end()
  }
}
