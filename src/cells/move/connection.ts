import { Client, type ClientConfig, type QueryResultRow } from 'pg'
import { readTables, type Table } from './carry.store.ts'
import { kindOf, problemOf } from './move.rules.ts'
import { endClient, namedQuery, typeParsers } from '../../platform/db/client.ts'
import type { Queryable } from '../../platform/db/database.ts'

/**
 * A connection of a move to one of the two databases. Statements that are sent without waiting are answered in their order:
 * in the pause nobody waits for one answer after the other.
 */
type Connection = Queryable & {
  /** Fails every later statement that takes longer than this, since a server can disappear without closing the connection. */
  answerWithin(ms: number): void
  end(): Promise<void>
}

/** The longest statements put aside or delete the rows of one table. */
export const LONGEST_STATEMENT_MS = 30 * 60_000

export async function connect(config: ClientConfig, name: string): Promise<Connection> {
  const client = new Client({
    ...config,
    types: typeParsers,
    application_name: 'bursar cells move',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    pipeline: true,
  })
  client.on('error', () => {})
  await client.connect().catch((cause: Error) => {
    throw new Error(`the database of ${name} cannot be reached: ${cause.message}`, { cause })
  })
  // The same spelling of every value on both sides, as rows are compared by their text. What was planned before the pause is
  // not planned again in it.
  await client.query(
    `set timezone = 'UTC'; set datestyle = 'ISO'; set bytea_output = 'hex'; set extra_float_digits = 1;
     set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
     set synchronous_commit = on; set plan_cache_mode = force_generic_plan`,
  )
  let limitMs = LONGEST_STATEMENT_MS
  return {
    async query<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) {
      const sent = { ...namedQuery(text, values), query_timeout: limitMs }
      return (await client.query<Row>(sent).catch((error: Error) => throwPlainly(error, name, limitMs))).rows
    },
    answerWithin: ms => void (limitMs = ms),
    end: () => endClient(client),
  }
}

function throwPlainly(error: Error, name: string, limitMs: number): never {
  if (error.message !== 'Query read timeout') throw error
  throw new Error(`the database of ${name} did not answer within ${limitMs / 1_000} s`, { cause: error })
}

export async function inTransaction<Result>(db: Queryable, work: () => Promise<Result>): Promise<Result> {
  await db.query('begin')
  try {
    const result = await work()
    await db.query('commit')
    return result
  } catch (error) {
    await db.query('rollback').catch(() => {})
    throw error
  }
}

/**
 * Foreign keys, append-only triggers and the fence do not hold for what is done here: the rows of a school leave as a whole.
 * The role needs `grant set on parameter session_replication_role`.
 */
export async function asReplica<Result>(db: Queryable, work: () => Promise<Result>): Promise<Result> {
  return inTransaction(db, async () => {
    await db.query('set local session_replication_role = replica')
    return work()
  })
}

export function sqlStateOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** A cell as a move reaches it. */
export type Cell = { name: string; config: ClientConfig }

/** Both databases, open for one run of a move. */
export type MoveDatabases = {
  source: Connection
  target: Connection
  /** More connections, for what is done while the school is paused. */
  comparing: { source: readonly Queryable[]; target: readonly Queryable[] }
  tables: readonly Table[]
  replicated: readonly Table[]
  /** Sets `answerWithin` of every connection. */
  answerWithin(ms: number): void
  close(): Promise<void>
}

/** A move was refused or stopped; the text tells an operator why. */
export class MoveStopped extends Error {
  override readonly name = 'MoveStopped'
}

const AT_ONCE = 3

export async function openSides({ source, target }: { source: Cell; target: Cell }): Promise<MoveDatabases> {
  const open: Connection[] = []
  const add = async ({ name, config }: Cell): Promise<Connection> => {
    const connection = await connect(config, name)
    open.push(connection)
    return connection
  }
  const close = async (): Promise<void> => {
    await Promise.all(open.map(connection => connection.end()))
  }
  try {
    const several = (cell: Cell): Promise<Connection[]> =>
      Promise.all(Array.from({ length: AT_ONCE }, () => add(cell)))
    const [one, other] = [await several(source), await several(target)]
    const tables = await readTables(one[0]!)
    const problems = tables.flatMap(table => problemOf(table) ?? [])
    if (problems.length > 0) throw new MoveStopped(problems.join('\n'))
    return {
      source: one[0]!,
      target: other[0]!,
      comparing: { source: one, target: other },
      tables,
      replicated: tables.filter(table => kindOf(table) === 'replicated'),
      answerWithin(ms) {
        for (const connection of open) connection.answerWithin(ms)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
