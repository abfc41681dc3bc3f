import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { endClient } from './client.ts'

/** One of the servers that hold the database. */
type Server = { name: string; connection: pg.ClientConfig }

/** What a server says of itself; a promotion begins a new timeline. */
type ServerRole = { isStandby: boolean; timeline: number }

export type ServersOptions = {
  connections: readonly pg.ClientConfig[]
  /** Told of the server that takes the writes from now on. */
  onPrimary?: ((name: string) => void) | undefined
}

const PROBE_TIMEOUT_MS = 1_000
const SEARCH_AGAIN_MS = 200
const WATCH_MS = 2_000

const STANDING = `select pg_is_in_recovery() as "isStandby", case when pg_is_in_recovery() then 0 else
  ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline`

/**
 * A primary and its standbys, of which one takes writes. Each new connection asks its server whether it is that one: a
 * promoted standby is found by itself, and an old primary that comes back has an older timeline and is not written to.
 * One server alone is used as it is.
 */
export class Servers {
  readonly #servers: readonly Server[]
  readonly #onPrimary: ServersOptions['onPrimary']
  #current: Server
  #timeline = 0
  #search: Promise<void> | null = null
  #watch: NodeJS.Timeout | null = null
  #isClosed = false

  constructor({ connections, onPrimary }: ServersOptions) {
    this.#servers = connections.map(connection => ({ name: nameOf(connection), connection }))
    const [first] = this.#servers
    if (first === undefined) throw new Error('a database needs a server')
    this.#current = first
    this.#onPrimary = onPrimary
    if (this.areSeveral) this.#watch = setInterval(() => void this.search(), WATCH_MS).unref()
  }

  /** How many are named. */
  get count(): number {
    return this.#servers.length
  }

  get areSeveral(): boolean {
    return this.count > 1
  }

  get current(): Server {
    return this.#current
  }

  /** A connection to the server that takes the writes. */
  client(options: pg.ClientConfig): PrimaryClient {
    return new PrimaryClient(this, options)
  }

  /** Gives the pool, which makes its connections itself, a client that goes to the primary. */
  clientClass(): new () => PrimaryClient {
    // eslint-disable-next-line @typescript-eslint/no-this-alias
    const servers = this
    return class extends PrimaryClient {
      constructor(options: pg.ClientConfig = {}) {
        super(servers, options)
      }
    }
  }

  /** Throws unless the server of a new connection is the one to write to. */
  async admit(client: pg.Client, server: Server): Promise<void> {
    const { isStandby, timeline } = await readStanding(client)
    if (isStandby) throw refusal(`${server.name} is a standby`)
    if (timeline < this.#timeline) throw refusal(`${server.name} is an old primary`)
    this.#take(server, timeline)
  }

  /** Looks once which server takes the writes; a search that is under way is shared. */
  search(): Promise<void> {
    this.#search ??= this.#askAll().finally(() => (this.#search = null))
    return this.#search
  }

  /** Waits at a start, when a promotion may be under way. */
  async find(limitMs: number): Promise<void> {
    const deadline = Date.now() + limitMs
    while (this.areSeveral && this.#timeline === 0 && Date.now() < deadline) {
      await this.search()
      if (this.#timeline === 0) await wait(SEARCH_AGAIN_MS)
    }
  }

  /** When none of several servers takes writes, tells how each of them stands; null if one does. */
  async describeLack(): Promise<string | null> {
    if (!this.areSeveral || this.#timeline > 0) return null
    const states = await Promise.all(
      this.#servers.map(async server => {
        const standing = await probe(server)
        if (standing instanceof Error) return `${server.name} does not answer (${reasonOf(standing)})`
        return standing.isStandby
          ? `${server.name} is a standby that waits for its promotion`
          : `${server.name} is a primary`
      }),
    )
    return `No server takes writes: ${states.join('; ')}.`
  }

  close(): void {
    this.#isClosed = true
    if (this.#watch !== null) clearInterval(this.#watch)
  }

  async #askAll(): Promise<void> {
    const found = await Promise.all(this.#servers.map(server => probe(server)))
    let best: { server: Server; timeline: number } | null = null
    for (const [at, server] of this.#servers.entries()) {
      const standing = found[at]
      if (standing === undefined || standing instanceof Error || standing.isStandby) continue
      if (standing.timeline >= (best?.timeline ?? this.#timeline))
        best = { server, timeline: standing.timeline }
    }
    if (best !== null && !this.#isClosed) this.#take(best.server, best.timeline)
  }

  #take(server: Server, timeline: number): void {
    if (timeline < this.#timeline) return
    const isNew = server !== this.#current || this.#timeline === 0
    this.#timeline = timeline
    this.#current = server
    if (isNew) this.#onPrimary?.(server.name)
  }
}

type ConnectCallback = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

/** Connects to the server that takes writes when it is made, and to no other. */
export class PrimaryClient extends pg.Client {
  readonly server: Server
  readonly #servers: Servers

  constructor(servers: Servers, options: pg.ClientConfig) {
    super({ ...options, ...servers.current.connection })
    this.server = servers.current
    this.#servers = servers
  }

  /** A connection from before a promotion is of no more use. */
  get isCurrent(): boolean {
    return this.server === this.#servers.current
  }

  override connect(): Promise<pg.Client>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.Client> | void {
    const connected = this.#connect()
    if (callback === undefined) return connected
    const tell = callback as (error: Error | null) => void
    connected.then(() => tell(null), tell)
  }

  async #connect(): Promise<pg.Client> {
    try {
      await super.connect()
      if (this.#servers.areSeveral) await this.#servers.admit(this, this.server)
      return this
    } catch (error) {
      if (this.#servers.areSeveral) void this.#servers.search()
      await endClient(this)
      throw error
    }
  }
}

/** How it stands, or why it does not answer. */
async function probe({ connection }: Server): Promise<ServerRole | Error> {
  const client = new pg.Client({
    ...connection,
    application_name: 'bursar probe',
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return await readStanding(client)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    await endClient(client)
  }
}

async function readStanding(client: pg.Client): Promise<ServerRole> {
  const { rows } = await client.query<ServerRole>(STANDING)
  return rows[0] ?? { isStandby: true, timeline: 0 }
}

/** A name with several addresses fails with one error for each, and no message of its own. */
function reasonOf(error: Error): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join(', ')
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name)
}

/** Carries the code of a failed connection, so the caller is told to try again. */
function refusal(reason: string): Error {
  return Object.assign(new Error(reason), { code: '08006' })
}

function nameOf({ connectionString, host }: pg.ClientConfig): string {
  if (connectionString === undefined) return host ?? 'localhost'
  const url = URL.parse(connectionString)
  return url === null || url.host === '' ? (url?.searchParams.get('host') ?? 'localhost') : url.host
}
