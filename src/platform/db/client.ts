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
const MAX_NAMES = 1000
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
