import pg from 'pg'
import { typeParsers } from './client.ts'

/** What pg's own query does with an answer; its type declarations leave it out. */
declare class AnsweredQuery {
  constructor(config: pg.QueryConfig, values: undefined, callback: Answered)
  readonly name: string
  protected _result: { fields: unknown; rows: unknown[] }
  protected _canceledDueToError: unknown
  submit(connection: PgConnection): Error | null
  prepare(connection: PgConnection): void
  handleRowDescription(message: { fields: readonly Field[] }): void
  handleDataRow(message: { fields: readonly (string | null)[] }): void
  handleCommandComplete(message: { text: string }, connection: PgConnection): void
}

type Oid = Parameters<pg.CustomTypesConfig['getTypeParser']>[0]
type Field = { name: string; dataTypeID: Oid }
type PgConnection = { describe(message: unknown): void }
type Answered = (error: Error | null, result: pg.QueryResult) => void

/** The columns of a statement's answer, and how a row is read; none for one that answers no rows. */
type Shape = { fields: readonly Field[]; read: (values: readonly (string | null)[]) => unknown }

/** What is known of the statements that a connection has prepared; `undescribed` is the connection without its question for columns. */
type Prepared = { shapes: Map<string, Shape>; undescribed: PgConnection }

const prepared = new WeakMap<PgConnection, Prepared>()

function preparedOn(connection: PgConnection): Prepared {
  const known = prepared.get(connection)
  if (known !== undefined) return known
  const undescribed = Object.create(connection) as PgConnection
  undescribed.describe = () => {}
  const fresh = { shapes: new Map<string, Shape>(), undescribed }
  prepared.set(connection, fresh)
  return fresh
}

/**
 * A named statement whose columns are asked for once a connection: PostgreSQL refuses to run it again should they have
 * changed ("cached plan must not change result type"), so what was answered the first time stays true.
 */
class NamedQuery extends (pg.Query as unknown as typeof AnsweredQuery) {
  #shape: Shape | undefined
  #isDescribed = false

  override prepare(connection: PgConnection): void {
    const { shapes, undescribed } = preparedOn(connection)
    this.#shape = shapes.get(this.name)
    if (this.#shape === undefined) return super.prepare(connection)
    this.#isDescribed = true
    this._result.fields = this.#shape.fields
    super.prepare(undescribed)
  }

  override handleRowDescription(message: { fields: readonly Field[] }): void {
    this.#shape = { fields: message.fields, read: compileReader(message.fields) }
    this._result.fields = message.fields
  }

  override handleDataRow({ fields: values }: { fields: readonly (string | null)[] }): void {
    if (this._canceledDueToError !== false || this.#shape === undefined) return
    try {
      this._result.rows.push(this.#shape.read(values))
    } catch (error) {
      this._canceledDueToError = error
    }
  }

  override handleCommandComplete(message: { text: string }, connection: PgConnection): void {
    if (!this.#isDescribed) preparedOn(connection).shapes.set(this.name, this.#shape ?? NO_ROWS)
    super.handleCommandComplete(message, connection)
  }
}

const NO_ROWS: Shape = { fields: [], read: () => ({}) }

/** Sends a query as the client would; one with a name without asking again what it answers. */
export function sendQuery<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  config: pg.QueryConfig & { query_timeout?: number },
): Promise<pg.QueryResult<Row>> {
  if (config.name === undefined) return client.query<Row>(config)
  const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult<Row>>()
  const query = new NamedQuery(config, undefined, (error, result) => {
    if (error) reject(error)
    else resolve(result as pg.QueryResult<Row>)
  })
  if (config.query_timeout !== undefined) Object.assign(query, { query_timeout: config.query_timeout })
  client.query(query as unknown as pg.Submittable)
  return promise.catch((error: Error) => {
    // Its stack leads to the socket; from here it leads to whoever waits for the answer.
    Error.captureStackTrace(error)
    throw error
  })
}

const { builtins } = pg.types
/** Values of these types are handed on as text. */
const TEXTS = new Set<number>([builtins.TEXT, builtins.VARCHAR, builtins.BPCHAR, builtins.DATE])

/** One object literal of all columns: its rows share one hidden class, and none is looked up by its name. */
function compileReader(fields: readonly Field[]): Shape['read'] {
  const parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID))
  const columns = fields.map(({ name, dataTypeID }, at) => {
    const value = TEXTS.has(dataTypeID)
      ? `values[${at}]`
      : `values[${at}] === null ? null : p${at}(values[${at}])`
    return `${JSON.stringify(name)}: ${value}`
  })
  const own = parsers.map((_, at) => `p${at} = parsers[${at}]`)
  const body = `${own.length === 0 ? '' : `const ${own.join(', ')};`} return values => ({ ${columns.join(', ')} })`
  // Column names are written in our own statements, and quoted all the same.
  // eslint-disable-next-line typescript/no-implied-eval, no-new-func
  return (new Function('parsers', body) as (parsers: unknown) => Shape['read'])(parsers)
}

function parserOf(oid: Oid): (text: string) => unknown {
  if (oid === builtins.TIMESTAMPTZ) return parseMoment
  return typeParsers.getTypeParser(oid, 'text') as (text: string) => unknown
}

const SECONDS_LENGTH = '2026-11-18 09:30:00'.length

/** The server's sessions are in UTC, so nearly every moment ends in +00; whatever looks otherwise is read the long way. */
function parseMoment(text: string): unknown {
  if (!text.endsWith('+00') || text.charCodeAt(4) !== DASH || text.charCodeAt(0) === ZERO)
    return parseAnyMoment(text)
  const ms = text.charCodeAt(SECONDS_LENGTH) === DOT ? millisecondsOf(text) : 0
  return new Date(
    Date.UTC(
      digits(text, 0, 4),
      digits(text, 5, 7) - 1,
      digits(text, 8, 10),
      digits(text, 11, 13),
      digits(text, 14, 16),
      digits(text, 17, 19),
      ms,
    ),
  )
}

const parseAnyMoment = pg.types.getTypeParser(builtins.TIMESTAMPTZ, 'text') as (text: string) => unknown
const [DASH, DOT, ZERO] = [45, 46, 48]

/** PostgreSQL leaves trailing zeros out. */
function millisecondsOf(text: string): number {
  const end = Math.min(text.length - 3, SECONDS_LENGTH + 4)
  const fraction = digits(text, SECONDS_LENGTH + 1, end)
  return fraction * 10 ** (SECONDS_LENGTH + 4 - end)
}

function digits(text: string, from: number, to: number): number {
  let value = 0
  for (let at = from; at < to; at++) value = value * 10 + text.charCodeAt(at) - ZERO
  return value
}
