import pg from 'pg'
import { unavailable } from '../errors.ts'
import { inSpan } from '../tracing/spans.ts'
import { announce, Sockets, sendQuery } from './client.ts'
import { ClusterSemaphore } from './cluster-semaphore.ts'
import { isRetryable, isTimeout, toBursarError } from './errors.ts'
import { PipelinedReader, SharedSnapshots } from './pipelined-reader.ts'
import { LIMITED_SESSION, SESSION, TransactionPool } from './pool.ts'
import { Servers } from './servers.ts'
import {
  runTransaction,
  type Limits,
  type Queryable,
  type Take,
  type Transaction,
  type WakeupChannel,
  WriteRefusals,
  type OnWritesRefused,
} from './transaction.ts'
import { WakeupListener, Wakeups, type WakeupSubscription } from './wakeup.ts'

export type { Queryable, Transaction } from './transaction.ts'

export type DatabaseOptions = {
  /** The server's list of connections shows ours by this name. */
  name?: string | undefined
  /** The servers that hold the database: a primary alone, or with its standbys. */
  connections: readonly pg.ClientConfig[]
  /** A PgBouncer in transaction mode before them, used for transactions alone. */
  pooler?: pg.ClientConfig | null
  poolSize: number
  /** Told which of several servers takes the writes, at the start and after a promotion. */
  onPrimary?: (name: string) => void
  /** Told of a pooled connection lost while idle. */
  onIdleError?: (error: Error) => void
  onWritesRefused?: OnWritesRefused
}

const POINT_READ_TIMEOUT_MS = 4_000
const MAX_TRIES = 4
const FIND_LIMIT_MS = 20_000

export class Database implements Queryable {
  readonly #servers: Servers
  readonly #sockets = new Sockets()
  readonly #config: pg.ClientConfig
  readonly #pool: TransactionPool
  readonly #reader: PipelinedReader
  /** All processes on this database share it. */
  readonly semaphore: ClusterSemaphore
  readonly #listener: WakeupListener
  readonly #wakeups: Wakeups
  readonly #refusals: WriteRefusals
  readonly #snapshots = new SharedSnapshots(this)
  #isClosing = false

  constructor(options: DatabaseOptions) {
    const servers = new Servers(options)
    this.#servers = servers
    this.#refusals = new WriteRefusals(options.onWritesRefused)
    const stream = (): ReturnType<Sockets['open']> => this.#sockets.open()
    const name = options.name ?? SESSION.application_name
    const config: pg.ClientConfig = { ...LIMITED_SESSION, application_name: name, stream }
    this.#config = config
    const pooler = options.pooler ?? null
    this.#pool = new TransactionPool({ servers, pooler, name, size: options.poolSize, stream })
    this.#pool.onIdleError(error => {
      if (!this.#isClosing) options.onIdleError?.(error)
    })
    const pipelined = { ...config, pipeline: true, query_timeout: POINT_READ_TIMEOUT_MS }
    this.#reader = new PipelinedReader(() => servers.client(pipelined))
    const listening = { ...config, application_name: 'bursar wakeup', keepAlive: true }
    const listener = new WakeupListener(() => servers.client(listening))
    this.#listener = listener
    this.#wakeups = new Wakeups({
      wakeHere: channel => listener.wake(channel),
      isDoneHere: channel => listener.isDoneHere(channel),
      notify: names =>
        this.query('select pg_notify(name, $2) from unnest($1::text[]) as name', [names, listener.token]),
    })
    const held = { ...config, application_name: 'bursar semaphore', keepAlive: true, pipeline: true }
    this.semaphore = new ClusterSemaphore(() => servers.client(held))
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    announce(text)
    return this.#retrying(async () => {
      const { client, giveBack } = await this.#pool.borrow()
      let broken: unknown
      try {
        return (await sendQuery<Row>(client, this.#pool.toQuery(text, values))).rows
      } catch (error) {
        broken = error
        throw error
      } finally {
        giveBack(broken as Error | undefined)
      }
    })
  }

  /** A short read by key, pipelined with others on one connection; tried once more when that was lost. */
  async pointRead<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    announce(text)
    try {
      return await this.#reader.query<Row>(text, values)
    } catch (error) {
      // One that took too long would take too long again.
      if (isTimeout(error)) throw toBursarError(error)
      return this.query<Row>(text, values)
    }
  }

  /** Runs the work in one transaction; a deadlock or serialisation failure runs it again from the start. */
  async transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    limits: Limits = {},
  ): Promise<Result> {
    const surroundings = {
      pool: this.#pool,
      limits,
      takerOf: <Work>(channel: WakeupChannel) => this.#listener.takerOf<Work>(channel),
      notify: (channel: WakeupChannel) => this.#wakeups.notify(channel),
    }
    return inSpan('transaction', {}, () => this.#retrying(() => runTransaction(work, surroundings)))
  }

  /** Listens to a channel that any process notifies, and takes over what this one makes if it can; started and stopped by its owner. */
  listen(channel: WakeupChannel, onWakeup: () => void, take?: Take<never>): WakeupSubscription {
    return this.#listener.subscribe(channel, onWakeup, take)
  }

  /** Open and waiting connections, for the metrics page. */
  get load(): { total: number; idle: number; waiting: number } {
    return this.#pool.load
  }

  /** Throws if the database can be read but not written to: a standby, or a disk that is full. */
  assertWritable(): Promise<void> {
    return this.#refusals.assertNone(this)
  }

  /** A text that differs after every transaction that wrote; one read at most `maxAgeMs` ago will do. */
  readSnapshot({ maxAgeMs }: { maxAgeMs: number } = { maxAgeMs: 0 }): Promise<string> {
    return this.#snapshots.read(maxAgeMs)
  }

  /** Before a stop: cuts off a database that does not answer. */
  abandonIfSilent(): Promise<void> {
    return this.#sockets.cutOffIfSilent(this.#servers.client(this.#config))
  }

  /** Several servers need it: the one that takes writes must be known before the first statement. */
  findPrimary(limitMs = FIND_LIMIT_MS): Promise<void> {
    return this.#servers.find(limitMs)
  }

  /** How many servers are named: a primary and its standbys. */
  get serverCount(): number {
    return this.#servers.count
  }

  /** Null if a server takes writes, as far as is known. */
  describeLackOfPrimary(): Promise<string | null> {
    return this.#servers.describeLack()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#servers.close()
    await Promise.all([this.#pool.end(), this.#reader.close(), this.semaphore.close()])
  }

  /** A deadlock or serialisation failure undid everything, so the same again is safe. */
  async #retrying<Result>(act: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      if (this.#sockets.areCutOff)
        throw unavailable('The database does not answer, and this process is stopping.')
      try {
        return await act()
      } catch (error) {
        if (attempt < MAX_TRIES && isRetryable(error)) continue
        if (this.#refusals.note(error) && this.#servers.areSeveral) void this.#servers.search()
        throw toBursarError(error)
      }
    }
  }
}
