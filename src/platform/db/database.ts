import pg from 'pg'
import { assert } from '../assert.ts'
import { WakeupListener, Wakeups, type WakeupChannel } from './wakeup.ts'
import { namedQuery, typeParsers } from './client.ts'
import { isRetryable, isTimeout, toBursarError } from './errors.ts'
import { PipelinedReader } from './pipelined-reader.ts'
import { ClusterSemaphore } from './cluster-semaphore.ts'

/** Something that runs SQL: the database itself, or a transaction opened by a service and passed down. */
export type Queryable = {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** Inside a transaction. The brand keeps a store that must be atomic from being given the bare database. */
export type Transaction = Queryable & {
  readonly inTransaction: true
  /** Tells workers after the commit that there is something to do. */
  notify(channel: WakeupChannel): void
  /** A statement that leaves together with the commit: what it locks is held no longer than the database itself takes. */
  endWith(text: string, values: readonly unknown[]): void
}

export type DatabaseOptions = {
  connection: pg.ClientConfig
  poolSize: number
  /** Told of a pooled connection lost while idle. */
  onIdleError?: (error: Error) => void
}

const CONNECT_TIMEOUT_MS = 3_000
const STATEMENT_TIMEOUT_MS = 10_000
const POINT_READ_TIMEOUT_MS = 4_000
const LOCK_TIMEOUT_MS = 8_000
const IDLE_IN_TRANSACTION_MS = 30_000
const MAX_TRIES = 4

export class Database implements Queryable {
  readonly #pool: pg.Pool
  readonly #lane: PipelinedReader
  /** That processes over this database share. */
  readonly semaphore: ClusterSemaphore
  readonly #wakeups = new Wakeups(name => this.query(`notify ${name}`))
  readonly #connection: pg.ClientConfig
  #isClosing = false

  constructor(options: DatabaseOptions) {
    const config: pg.ClientConfig = {
      ...options.connection,
      types: typeParsers,
      application_name: 'bursar',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS + 1_000,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    }
    this.#connection = { ...options.connection, application_name: 'bursar wakeup' }
    // Statements that do not wait for each other leave together: the work of a transaction starts with its `begin`.
    this.#pool = new pg.Pool({ ...config, pipeline: true, max: options.poolSize, idleTimeoutMillis: 60_000 })
    // Without a handler Node ends the process when an idle connection is lost.
    this.#pool.on('error', error => {
      if (!this.#isClosing) options.onIdleError?.(error)
    })
    // The same while it is lent out and between two queries; its next query fails and tells its borrower.
    this.#pool.on('connect', client => client.on('error', () => {}))
    this.#lane = new PipelinedReader({ ...config, query_timeout: POINT_READ_TIMEOUT_MS })
    this.semaphore = new ClusterSemaphore({ ...config, application_name: 'bursar semaphore' })
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return retrying(async () => (await this.#pool.query<Row>(namedQuery(text, values))).rows)
  }

  /** A short read by key, pipelined with others on one connection; tried once more when that was lost. */
  async pointRead<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    try {
      return await this.#lane.query<Row>(text, values)
    } catch (error) {
      // One that took too long would take too long again.
      if (isTimeout(error)) throw toBursarError(error)
      return this.query<Row>(text, values)
    }
  }

  /** Runs the work in one transaction; a deadlock or serialisation failure runs it again from the start. */
  async transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return retrying(() => this.#runOnce(work))
  }

  /** Listens to a channel that any process notifies; started and stopped by its owner. */
  listen(channel: WakeupChannel, onWakeup: () => void): WakeupListener {
    const config = { ...this.#connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS }
    return new WakeupListener(config, channel, onWakeup)
  }

  /** Open and waiting connections, for the metrics page. */
  get load(): { total: number; idle: number; waiting: number } {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all([this.#pool.end(), this.#lane.close(), this.semaphore.close()])
  }

  async #runOnce<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect()
    let broken: Error | undefined
    const notified = new Set<WakeupChannel>()
    const endings: pg.QueryConfig[] = []
    const tx: Transaction = {
      inTransaction: true,
      notify: channel => notified.add(channel),
      endWith: (text, values) => endings.push(namedQuery(text, values)),
      query: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
        (await client.query<Row>(namedQuery(text, values))).rows,
    }
    try {
      const begun = client.query('begin')
      const [result] = await Promise.all([work(tx), begun])
      // After one that fails, the commit is answered by a rollback.
      const ended = endings.map(ending => client.query(ending))
      const [commit] = await Promise.all([client.query('commit'), ...ended])
      assert(commit.command === 'COMMIT', 'a commit was answered by a rollback')
      for (const channel of notified) this.#wakeups.notify(channel)
      return result
    } catch (error) {
      // A connection that fell silent would keep its rollback waiting just as long; it is thrown away instead.
      if (isTimeout(error)) broken = error
      else await client.query('rollback').catch((cause: Error) => (broken = cause))
      throw error
    } finally {
      client.release(broken)
    }
  }
}

/** A deadlock or serialisation failure undid everything, so the same again is safe. */
async function retrying<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act()
    } catch (error) {
      if (attempt >= MAX_TRIES || !isRetryable(error)) throw toBursarError(error)
    }
  }
}
