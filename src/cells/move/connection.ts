import { Client, type ClientConfig, type QueryConfig, type QueryResultRow } from 'pg'
import { endClient, typeParsers } from '../../platform/db/client.ts'
import type { Queryable } from '../../platform/db/database.ts'

/** A connection of a move to one of the two databases. */
export type Connection = Queryable & {
  /** From now on a statement that is not answered for so long has failed: its server may be gone without a word. */
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
  })
  client.on('error', () => {})
  await client.connect().catch((cause: Error) => {
    throw new Error(`the database of ${name} cannot be reached: ${cause.message}`, { cause })
  })
  // The same spelling of every value on both sides, as rows are compared by their text.
  await client.query(
    `set timezone = 'UTC'; set datestyle = 'ISO'; set bytea_output = 'hex'; set extra_float_digits = 1;
     set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
     set synchronous_commit = on`,
  )
  let limitMs = LONGEST_STATEMENT_MS
  return {
    async query<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) {
      const sent: QueryConfig & { query_timeout: number } = {
        text,
        values: [...values],
        query_timeout: limitMs,
      }
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
