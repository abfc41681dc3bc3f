import pg from 'pg'
import { assert } from '../assert.ts'
import { unavailable } from '../errors.ts'
import { announce, gatherWrites, sendQuery } from './client.ts'
import { isAborted, isTimeout, writeRefusal } from './errors.ts'
import type { TransactionPool } from './pool.ts'

/** Something that runs SQL: the database itself, or a transaction opened by a service and passed down. */
export type Queryable = {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** The brand keeps a store that must be atomic from being given the bare database. */
export type Transaction = Queryable & {
  readonly inTransaction: true
  /** Tells workers after the commit that there is something to do. */
  notify(channel: WakeupChannel): void
  /** Whoever in this process takes over what is due on a channel; null if it is to be queued for all. */
  takerOf<Work>(channel: WakeupChannel): Take<Work> | null
  /** Runs once it is committed, and not if it is rolled back. */
  afterCommit(act: () => void): void
  /**
   * A statement that leaves together with the commit: what it locks is held no longer than the database itself takes. What
   * it answers is known once it is committed.
   */
  endWith<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[],
    onCommitted?: OnCommitted<Row>,
  ): void
}

/** Channels that wake workers of all processes when there is something to do. */
export type WakeupChannel = 'deliveries' | 'imports' | 'messages' | 'receipts'

/** Takes work over in the transaction that makes it; false when it is left to be queued for all. */
export type Take<Work> = (tx: Transaction, work: Work) => boolean

export type Limits = {
  /** How long an answer may take where that is more than usual. The server has a limit of its own. */
  query_timeout?: number
  /**
   * Each statement is planned once a connection, for a transaction that looks up by their keys a few rows that are much the
   * same each time. For a list of one id PostgreSQL finds the plan for any list too dear, and would plan it anew each time.
   */
  keepsPlans?: boolean
  /** It is answered before it is on disk, for what is as good as not heard when it is lost: see `commitLater`. */
  commitsLater?: boolean
}

type OnCommitted<Row> = (rows: Row[]) => void

/** Sends the last of the statements; gives what follows from its answer once that is committed. */
type Ending = () => Promise<() => void>

type TransactionContext = {
  pool: TransactionPool
  limits: Limits
  takerOf: Transaction['takerOf']
  notify: Transaction['notify']
}

const KEEP_PLANS = 'set local plan_cache_mode = force_generic_plan'
const COMMIT_LATER = 'set local synchronous_commit = off'

/** Runs the work once on a connection of the pool: what it did is committed, or undone and its error thrown. */
export async function runTransaction<Result>(
  work: (tx: Transaction) => Promise<Result>,
  {
    pool,
    limits: { keepsPlans = false, commitsLater = false, ...limits },
    takerOf,
    notify,
  }: TransactionContext,
): Promise<Result> {
  const { client, giveBack } = await pool.borrow()
  let broken: Error | undefined
  const notified = new Set<WakeupChannel>()
  const endings: Ending[] = []
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
    takerOf,
    afterCommit: act => committed.push(act),
    endWith: <Row extends pg.QueryResultRow>(
      text: string,
      values: readonly unknown[],
      onCommitted: OnCommitted<Row> = () => {},
    ) => {
      announce(text)
      const query = pool.toQuery(text, values)
      endings.push(async () => {
        const { rows } = await send<Row>(query)
        return () => onCommitted(rows)
      })
    },
    query: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) => {
      announce(text)
      return (await send<Row>({ ...pool.toQuery(text, values), ...limits })).rows
    },
  }
  try {
    const begin = [pool.begin, ...(keepsPlans ? [KEEP_PLANS] : []), ...(commitsLater ? [COMMIT_LATER] : [])]
    const begun = send({ text: begin.join('; ') })
    const [result] = await Promise.all([work(tx), begun])
    // After one that fails, the commit is answered by a rollback.
    const ended = endings.map(end => end())
    const [commit, ...answered] = await Promise.all([send({ text: 'commit' }), ...ended])
    assert(commit.command === 'COMMIT', 'a commit was answered by a rollback')
    for (const act of answered) act()
    for (const act of committed) act()
    for (const channel of notified) notify(channel)
    return result
  } catch (error) {
    // A connection that fell silent would keep its rollback waiting just as long; it is thrown away instead.
    if (isTimeout(error)) broken = error
    else await client.query('rollback').catch((cause: Error) => (broken = cause))
    throw isAborted(error) ? first : error
  } finally {
    giveBack(broken)
  }
}

const TELL_AGAIN_MS = 60_000

/** Told at most once a minute that the database takes no writes. */
export type OnWritesRefused = (reason: string, error: unknown) => void

/** Whether the database takes writes: a standby does not, nor one whose disk is full. */
export class WriteRefusals {
  readonly #onRefused: OnWritesRefused | undefined
  #isRefusing = false
  #toldMs = -Infinity

  constructor(onRefused: OnWritesRefused | undefined) {
    this.#onRefused = onRefused
  }

  /** Answers whether the error is such a refusal. */
  note(error: unknown): boolean {
    const reason = writeRefusal(error)
    if (reason === null) return false
    this.#isRefusing = true
    const nowMs = performance.now()
    if (nowMs - this.#toldMs >= TELL_AGAIN_MS) {
      this.#toldMs = nowMs
      this.#onRefused?.(reason, error)
    }
    return true
  }

  async assertNone(db: Queryable): Promise<void> {
    const [row] = await db.query<{ isReadOnly: boolean }>(
      `select current_setting('transaction_read_only')::boolean as "isReadOnly"`,
    )
    if (row?.isReadOnly === true) throw unavailable('The database is read-only.')
    // Only a write shows that the disk is no longer full, so one is tried after writes have failed.
    if (!this.#isRefusing) return
    await db.query('update schema_migrations set applied_at = applied_at where version = 1')
    this.#isRefusing = false
  }
}
