import { createHash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'

/**
 * A pg client whose parametrised queries are prepared statements named by their text: PostgreSQL parses and
 * plans each text once per connection. Texts are constants in the stores (lists go in as `any($1)`), so the
 * map of names stays small; the bound is there for the day somebody breaks that habit.
 */
const MAX_NAMES = 2_000
const END_LIMIT_MS = 500
const names = new Map<string, string>()

function statementName(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= MAX_NAMES) return known
  const name = createHash('sha1').update(text).digest('base64url')
  names.set(text, name)
  return name
}

/** A subscriber is told of each statement while its sender is still on the stack. */
export const STATEMENTS = 'bursar.statements'
const statements = channel(STATEMENTS)

export function announce(text: string): void {
  if (statements.hasSubscribers) statements.publish(text)
}

/** Reads without values are prepared too, so that repeated looks are not planned each time; unions begin with brackets. */
const READ = /^[\s(]*(select|with)\b/

/** The query config that both the pool's clients and the pipelined reader send. */
export function namedQuery(text: string, values: readonly unknown[]): pg.QueryConfig {
  const name = values.length > 0 || READ.test(text) ? statementName(text) : undefined
  return name === undefined ? { text, values: [...values] } : { name, text, values: [...values] }
}

/** What is sent from now on leaves in one system call, when `later` calls. */
export function gatherWrites(client: pg.ClientBase, later: (write: () => void) => void): void {
  const stream = streamOf(client)
  if (stream.writableCorked > 0) return
  stream.cork()
  later(() => stream.uncork())
}

/** Ends a connection; one that has fallen silent is cut off instead of waited for. */
export async function endClient(client: pg.ClientBase & { end(): Promise<void> }): Promise<void> {
  await Promise.race([client.end().catch(() => {}), wait(END_LIMIT_MS, undefined, { ref: false })])
  streamOf(client).destroy()
}

function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

function parseSafeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error('a bigint from the database is not a safe integer')
  return value
}

/** A lost client says so twice, by error and by end; what is called must not forget the successor by the second. */
export function onLost(client: pg.Client, connecting: Promise<unknown>, forget: () => void): void {
  client.on('error', forget)
  client.on('end', forget)
  connecting.catch(forget)
}

/** bigint holds paise and counters, all safe integers; `date` stays the text it is, a day has no time zone. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === pg.types.builtins.INT8) return parseSafeInteger
    if (oid === pg.types.builtins.DATE) return (text: string) => text
    return pg.types.getTypeParser(oid, format)
  },
}

const SILENCE_MS = 2_000

/** The sockets to a database, known from before they are connected, so that those which never will be can be cut off too. */
export class Sockets {
  readonly #open = new Set<Socket>()
  /** The database fell silent while we stop: nothing is asked of it any more. */
  areCutOff = false

  open(): Socket {
    const socket = new Socket()
    this.#open.add(socket)
    if (this.areCutOff) setImmediate(() => socket.destroy())
    return socket.once('close', () => this.#open.delete(socket))
  }

  /** Every statement under way would be waited for until its time-out, and the connections after it. */
  async cutOffIfSilent(client: pg.Client): Promise<void> {
    client.on('error', () => {})
    // A refusal is an answer too: statements under way then fail or end by themselves.
    const isAnswered = client
      .connect()
      .then(() => client.query('select 1'))
      .then(
        () => true,
        () => true,
      )
    const isSilent = !(await Promise.race([isAnswered, wait(SILENCE_MS, false, { ref: false })]))
    void endClient(client)
    if (!isSilent) return
    this.areCutOff = true
    for (const socket of this.#open) socket.destroy()
  }
}

/** What pg's own query does with an answer; its type declarations leave it out. */
declare class AnsweredQuery {
  constructor(config: pg.QueryConfig, values: undefined, callback: QueryCallback)
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
type QueryCallback = (error: Error | null, result: pg.QueryResult) => void

/** The columns of a statement's answer, and how a row is read; none for one that answers no rows. */
type Shape = { fields: readonly Field[]; read: (values: readonly (string | null)[]) => unknown }

/** What is known of the statements that a connection has prepared; `undescribed` is the connection without its question for columns. */
type PreparedStatements = { shapes: Map<string, Shape>; undescribed: PgConnection }

const prepared = new WeakMap<PgConnection, PreparedStatements>()

function preparedOn(connection: PgConnection): PreparedStatements {
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
