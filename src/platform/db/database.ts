import { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { assert } from '../assert.ts'
import { unavailable } from '../errors.ts'
import type { Queryable, Take, Transaction, WakeupChannel } from './transaction.ts'
import { WakeupListener, Wakeups, type WakeupSubscription } from './wakeup.ts'
import { announce, endClient, gatherWrites } from './client.ts'
import { isAborted, isRetryable, isTimeout, toBursarError, writeRefusal } from './errors.ts'
import { sendQuery } from './named-query.ts'
import { PipelinedReader } from './pipelined-reader.ts'
import { LIMITED_SESSION, SESSION, TransactionPool } from './pool.ts'
import { ClusterSemaphore } from './cluster-semaphore.ts'
import { Servers } from './servers.ts'
import { inSpan } from '../tracing/spans.ts'

export type { Queryable, Transaction } from './transaction.ts'

export type DatabaseOptions = {
  /** By which the server's list of connections shows ours. */
  name?: string | undefined
  /** Of the servers that hold it: a primary alone, or with its standbys. */
  connections: readonly pg.ClientConfig[]
  /** In front of them, for transactions alone: PgBouncer in transaction mode. */
  pooler?: pg.ClientConfig | null
  poolSize: number
  /** Told which of several servers takes the writes, at the start and after a promotion. */
  onPrimary?: (name: string) => void
  /** Told of a pooled connection lost while idle. */
  onIdleError?: (error: Error) => void
  /** Told at most once a minute that the database takes no writes. */
  onWritesRefused?: (reason: string, error: unknown) => void
}

/** How long an answer may take where that is more than usual. The server has a limit of its own. */
type Limits = { query_timeout?: number }

const POINT_READ_TIMEOUT_MS = 4_000
const MAX_TRIES = 4
const TELL_AGAIN_MS = 60_000
const SILENCE_MS = 2_000
const FIND_LIMIT_MS = 20_000

export class Database implements Queryable {
  readonly #servers: Servers
  readonly #pool: TransactionPool
  readonly #reader: PipelinedReader
  /** That processes over this database share. */
  readonly semaphore: ClusterSemaphore
  readonly #wakeups = new Wakeups({
    wakeHere: name => this.#listener.wake(name),
    notify: names =>
      this.query('select pg_notify(name, $2) from unnest($1::text[]) as name', [names, this.#listener.token]),
  })
  readonly #listener: WakeupListener
  readonly #options: DatabaseOptions
  readonly #config: pg.ClientConfig
  readonly #sockets = new Set<Socket>()
  #isClosing = false
  /** It fell silent while we stop: nothing is asked of it any more. */
  #isAbandoned = false
  #refusesWrites = false
  #toldMs = -Infinity

  constructor(options: DatabaseOptions) {
    this.#options = options
    const servers = new Servers(options)
    this.#servers = servers
    const name = options.name ?? SESSION.application_name
    const config: pg.ClientConfig = {
      ...LIMITED_SESSION,
      application_name: name,
      stream: () => this.#openSocket(),
    }
    this.#config = config
    this.#pool = new TransactionPool({
      servers,
      pooler: options.pooler ?? null,
      name,
      size: options.poolSize,
      stream: () => this.#openSocket(),
    })
    this.#pool.onIdleError(error => {
      if (!this.#isClosing) options.onIdleError?.(error)
    })
    const pipelined = { ...config, pipeline: true, query_timeout: POINT_READ_TIMEOUT_MS }
    this.#reader = new PipelinedReader(() => servers.client(pipelined))
    const listening = { ...config, application_name: 'bursar wakeup', keepAlive: true }
    this.#listener = new WakeupListener(() => servers.client(listening))
    const held = { ...config, application_name: 'bursar semaphore', keepAlive: true, pipeline: true }
    this.semaphore = new ClusterSemaphore(() => servers.client(held))
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    announce(text)
    return this.#retrying(async () => {
      const client = await this.#pool.borrow()
      let broken: unknown
      try {
        return (await sendQuery<Row>(client, this.#pool.toQuery(text, values))).rows
      } catch (error) {
        broken = error
        throw error
      } finally {
        client.release(broken as Error | undefined)
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
    return inSpan('transaction', {}, () => this.#retrying(() => this.#runOnce(work, limits)))
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
  async assertWritable(): Promise<void> {
    const [row] = await this.query<{ isReadOnly: boolean }>(
      `select current_setting('transaction_read_only')::boolean as "isReadOnly"`,
    )
    if (row?.isReadOnly === true) throw unavailable('The database is read-only.')
    // That a disk is full shows only in a write: one is made where writes have failed, and not otherwise.
    if (!this.#refusesWrites) return
    await this.query('update schema_migrations set applied_at = applied_at where version = 1')
    this.#refusesWrites = false
  }

  /** What is different after every transaction that wrote something, of whichever process. */
  async readSnapshot(): Promise<string> {
    const [row] = await this.query<{ snapshot: string }>(`select pg_current_snapshot()::text as snapshot`)
    return row?.snapshot ?? ''
  }

  /**
   * Before a stop: cuts off a database that does not answer. Every statement under way would be waited for until its
   * time-out, and the connections after it.
   */
  async abandonIfSilent(): Promise<void> {
    const client = this.#servers.client(this.#config)
    client.on('error', () => {})
    // A refusal is an answer too: statements under way then fail or end by themselves.
    const isAnswered = client.connect().then(
      () =>
        client.query('select 1').then(
          () => true,
          () => true,
        ),
      () => true,
    )
    const isSilent = !(await Promise.race([isAnswered, wait(SILENCE_MS, false, { ref: false })]))
    void endClient(client)
    if (!isSilent) return
    this.#isAbandoned = true
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Of several servers the one that takes writes must be known before the first statement. */
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

  /** Known from before it is connected, so that one which never will be can be cut off too. */
  #openSocket(): Socket {
    const socket = new Socket()
    this.#sockets.add(socket)
    if (this.#isAbandoned) setImmediate(() => socket.destroy())
    return socket.once('close', () => this.#sockets.delete(socket))
  }

  async #runOnce<Result>(work: (tx: Transaction) => Promise<Result>, limits: Limits): Promise<Result> {
    const client = await this.#pool.borrow()
    let broken: Error | undefined
    const notified = new Set<WakeupChannel>()
    const endings: pg.QueryConfig[] = []
    const committed: (() => void)[] = []
    let first: unknown
    // Statements that do not wait for each other leave in one system call.
    const send = <Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> => {
      gatherWrites(client, write => process.nextTick(write))
      const sent = sendQuery<Row>(client, query)
      sent.catch((error: unknown) => (first ??= error))
      return sent
    }
    const tx: Transaction = {
      inTransaction: true,
      notify: channel => notified.add(channel),
      takerOf: <Work>(channel: WakeupChannel) => this.#listener.takerOf<Work>(channel),
      afterCommit: act => committed.push(act),
      endWith: (text, values) => {
        announce(text)
        endings.push(this.#pool.toQuery(text, values))
      },
      query: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) => {
        announce(text)
        return (await send<Row>({ ...this.#pool.toQuery(text, values), ...limits })).rows
      },
    }
    try {
      const begun = send({ text: this.#pool.begin })
      const [result] = await Promise.all([work(tx), begun])
      // After one that fails, the commit is answered by a rollback.
      const ended = endings.map(send)
      const [commit] = await Promise.all([send({ text: 'commit' }), ...ended])
      assert(commit.command === 'COMMIT', 'a commit was answered by a rollback')
      for (const act of committed) act()
      for (const channel of notified) this.#wakeups.notify(channel)
      return result
    } catch (error) {
      // A connection that fell silent would keep its rollback waiting just as long; it is thrown away instead.
      if (isTimeout(error)) broken = error
      else await client.query('rollback').catch((cause: Error) => (broken = cause))
      throw isAborted(error) ? first : error
    } finally {
      client.release(broken)
    }
  }

  /** A deadlock or serialisation failure undid everything, so the same again is safe. */
  async #retrying<Result>(act: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      if (this.#isAbandoned) throw unavailable('The database does not answer, and this process is stopping.')
      try {
        return await act()
      } catch (error) {
        if (attempt < MAX_TRIES && isRetryable(error)) continue
        this.#noteRefusal(error)
        throw toBursarError(error)
      }
    }
  }

  #noteRefusal(error: unknown): void {
    const reason = writeRefusal(error)
    if (reason === null) return
    if (this.#servers.areSeveral) void this.#servers.search()
    this.#refusesWrites = true
    const nowMs = performance.now()
    if (nowMs - this.#toldMs < TELL_AGAIN_MS) return
    this.#toldMs = nowMs
    this.#options.onWritesRefused?.(reason, error)
  }
}
