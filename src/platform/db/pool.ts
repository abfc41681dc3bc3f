import pg from 'pg'
import { namedQuery, typeParsers } from './client.ts'
import { ConnectionTurns } from './connection-turns.ts'
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

/** A connection that is lent out; one that broke is not lent again. */
export type Loan = { client: pg.PoolClient; giveBack: (broken?: Error) => void }

/** The connections that transactions run on, and how a statement and the beginning of a transaction are said there. */
export class TransactionPool {
  readonly #pool: pg.Pool
  readonly #turns: ConnectionTurns
  /** Begins a transaction. */
  readonly begin: string
  readonly toQuery: typeof namedQuery

  constructor({ servers, pooler, name, size, stream }: PoolOptions) {
    this.#turns = new ConnectionTurns(size)
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
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#turns.waiting }
  }

  async borrow(): Promise<Loan> {
    const taken = this.#turns.take()
    const giveBack = taken instanceof Promise ? await taken : taken
    try {
      const client = await this.#connect()
      const end = (broken?: Error): void => {
        client.release(broken)
        giveBack()
      }
      return { client, giveBack: end }
    } catch (error) {
      giveBack()
      throw error
    }
  }

  async #connect(): Promise<pg.PoolClient> {
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

/**
 * A DATABASE_URL as libpq reads it: several hosts stand behind each other, each with a port of its own or the standard
 * one. Answers a URL for each of them.
 */
export function splitDatabaseUrl(url: string): string[] {
  const scheme = /^postgres(?:ql)?:\/\//.exec(url)?.[0]
  if (scheme === undefined) return [url]
  const end = url.slice(scheme.length).search(/[/?]/)
  const authority = end < 0 ? url.slice(scheme.length) : url.slice(scheme.length, scheme.length + end)
  const rest = url.slice(scheme.length + authority.length)
  const at = authority.lastIndexOf('@') + 1
  const hosts = authority.slice(at).split(',')
  return hosts.map(host => `${scheme}${authority.slice(0, at)}${host}${withoutTarget(rest)}`)
}

/** Bursar always wants the server that takes writes, and the driver does not know the parameter. */
function withoutTarget(rest: string): string {
  if (!rest.includes('target_session_attrs=')) return rest
  const [path = '', query] = rest.split('?', 2)
  const words = new URLSearchParams(query)
  words.delete('target_session_attrs')
  return words.size === 0 ? path : `${path}?${words.toString()}`
}

/** What keeps it from being used, in words; null if nothing. */
export function databaseUrlProblem(url: string): string | null {
  const target = /[?&]target_session_attrs=([^&]*)/.exec(url)?.[1]
  if (target !== undefined && target !== 'read-write' && target !== 'primary')
    return `DATABASE_URL asks for target_session_attrs=${target}; Bursar writes: leave it out, or say read-write.`
  const urls = splitDatabaseUrl(url)
  if (urls.length > 1 && urls.some(one => !URL.parse(one)?.host))
    return 'DATABASE_URL names several hosts as postgres://user:password@host1:5432,host2:5432/database.'
  return null
}
