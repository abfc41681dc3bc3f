import type pg from 'pg'
import { isUnavailable, unavailable } from '../errors.ts'
import { endClient } from './client.ts'
import { isTimeout } from './errors.ts'
import type { Database } from './database.ts'

/** A server of a Citus that holds schools, and which. */
export type Node = Placed & { name: string; answers: boolean; schools: number }

/**
 * Writes a statement over all institutes; `among` is the condition that keeps it to some of them. It is said of every table,
 * those that are joined or looked up too: Citus asks every node that one of the tables may have rows on.
 */
export type OverAll = (among: (column: string) => string) => string

export type NodesOptions = {
  /** Told of a node that does not answer, and when it does again. */
  onNode?: ((node: Node) => void) | undefined
  /** For how long a node that did not answer is left alone. */
  lookAgainMs?: number
  nowMs?: () => number
}

/** A connection to the coordinator, not yet made. */
type Connect = (limits: pg.ClientConfig) => pg.Client

type Placed = { host: string; port: number; isCoordinator: boolean; institutes: number[] }

const LOOK_AGAIN_MS = 2_000
const ANSWER_LIMIT_MS = 2_000
const MOST_TRIES = 3
const RETRY = 'The service is briefly unavailable. Please retry.'

/** Number 0 is what belongs to no institute. Institutes are read at the coordinator, which holds all of them. */
const PLACED = `select n.nodename as host, n.nodeport as port, n.groupid = 0 as "isCoordinator",
    coalesce(array_agg(i.id order by i.id) filter (where i.id is not null), '{}') as institutes
  from pg_dist_node n
  left join ((select id from institutes union all select 0) i join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('students', i.id))
    on p.groupid = n.groupid
  where n.noderole = 'primary' and (n.groupid > 0 or n.shouldhaveshards)
  group by n.nodename, n.nodeport, n.groupid order by n.nodename, n.nodeport`

/**
 * The nodes of a distributed database, of which one that does not answer must not keep the schools of the others waiting. A
 * statement over all schools is sent whole as long as that works. When it fails, every node is asked whether it is there, and
 * the statement is sent again for the schools of those that are. Until the others answer, which is looked at beside the work,
 * no statement waits for them.
 */
export class Nodes {
  readonly #db: Pick<Database, 'query' | 'isDistributed'>
  readonly #connect: Connect
  readonly #options: Required<Omit<NodesOptions, 'onNode'>> & Pick<NodesOptions, 'onNode'>
  /** As they were found by the last look; none before there was a reason for one. */
  #nodes: readonly Node[] = []
  #lookedMs = -Infinity
  #look: Promise<readonly Node[]> | null = null

  constructor(db: Pick<Database, 'query' | 'isDistributed'>, connect: Connect, options: NodesOptions = {}) {
    this.#db = db
    this.#connect = connect
    this.#options = { lookAgainMs: LOOK_AGAIN_MS, nowMs: () => performance.now(), ...options }
  }

  async query<Row extends pg.QueryResultRow>(write: OverAll, values: readonly unknown[]): Promise<Row[]> {
    for (let tries = 1; ; tries++) {
      const before = this.#nodes
      try {
        return await this.#send<Row>(write, values)
      } catch (error) {
        if (!this.#db.isDistributed || !isUnavailable(error) || tries === MOST_TRIES) throw error
        const now = await this.look().catch(() => before)
        if (namesAway(now) === namesAway(before)) throw error
      }
    }
  }

  /** As they were found lately. Only a first look is waited for, so that one who reads figures waits for no node. */
  async known(): Promise<readonly Node[]> {
    if (this.#nodes.length === 0) return await this.look()
    this.#lookAgain()
    return this.#nodes
  }

  /**
   * Throws if the node of this institute did not answer: a request that waited for it would hold a connection that the
   * schools of the others need.
   */
  refuseIfAway(instituteId: number): void {
    if (!this.#isAnyAway) return
    this.#lookAgain()
    if (this.#nodes.some(({ answers, institutes }) => !answers && institutes.includes(instituteId)))
      throw unavailable(RETRY)
  }

  /** Of a statement's failure: if a node may be the reason, which one is looked at beside the work. */
  note(error: unknown): unknown {
    if (this.#db.isDistributed && isUnavailable(error)) this.#lookAgain()
    return error
  }

  /** Asks each node whether it is there; a look that is under way is shared. */
  look(): Promise<readonly Node[]> {
    this.#look ??= this.#askAll().finally(() => (this.#look = null))
    return this.#look
  }

  async #send<Row extends pg.QueryResultRow>(write: OverAll, values: readonly unknown[]): Promise<Row[]> {
    if (!this.#isAnyAway)
      return this.#db.query<Row>(
        write(() => 'true'),
        values,
      )
    this.#lookAgain()
    const institutes = this.#nodes.flatMap(node => (node.answers ? node.institutes : []))
    if (institutes.length === 0) throw unavailable(RETRY)
    const text = write(column => `${column} = any($${values.length + 1}::int[])`)
    return this.#db.query<Row>(text, [...values, institutes])
  }

  get #isAnyAway(): boolean {
    return this.#nodes.some(({ answers }) => !answers)
  }

  #lookAgain(): void {
    const { lookAgainMs, nowMs } = this.#options
    if (nowMs() - this.#lookedMs >= lookAgainMs) this.look().catch(() => {})
  }

  async #askAll(): Promise<readonly Node[]> {
    const placed = await this.#ask<Placed>(PLACED)
    const nodes = await Promise.all(
      placed.map(async node => ({
        ...node,
        name: `${node.host}:${node.port}`,
        schools: node.institutes.filter(id => id > 0).length,
        answers: await this.#answers(node),
      })),
    )
    const before = new Map(this.#nodes.map(({ name, answers }) => [name, answers]))
    this.#nodes = nodes
    this.#lookedMs = this.#options.nowMs()
    for (const node of nodes)
      if (node.answers !== (before.get(node.name) ?? true)) this.#options.onNode?.(node)
    return nodes
  }

  /** As the coordinator sees it: whether this process can reach it says nothing. */
  async #answers({ host, port }: Placed): Promise<boolean> {
    try {
      const [row] = await this.#ask<{ answers: boolean }>(
        'select citus_check_connection_to_node($1, $2) as answers',
        [host, port],
      )
      return row?.answers === true
    } catch (error) {
      if (isTimeout(error)) return false
      throw error
    }
  }

  /** On a connection of its own: those of the pool may all be waiting for the node. */
  async #ask<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = this.#connect({ statement_timeout: ANSWER_LIMIT_MS, query_timeout: 2 * ANSWER_LIMIT_MS })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query<Row>(text, values)).rows
    } finally {
      await endClient(client)
    }
  }
}

function namesAway(nodes: readonly Node[]): string {
  return nodes
    .filter(({ answers }) => !answers)
    .map(({ name }) => name)
    .join(' ')
}
