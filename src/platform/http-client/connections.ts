import { isIP, type LookupFunction, type Socket } from 'node:net'
import { callbackify } from 'node:util'
import type { Client as Undici, buildConnector as Connector } from 'undici'
import type { AddressPolicy } from './addresses.ts'
import { OutboundFailure } from './failure.ts'
import type { Names } from './names.ts'
import { buildConnector, Client, ClientClosedError } from './undici.ts'

/** One request at a time goes over it. */
export type Connection = {
  readonly client: Undici
  readonly home: Home
  state: 'lent' | 'resting' | 'idle' | 'gone'
  /** It stayed open after an answer. */
  isProven: boolean
}

/** Told when there is a connection for it, or that there will be none. */
export type Borrower = { start(connection: Connection): void; refuse(error: Error): void }

/** Connections to one origin. */
type Home = {
  origin: string
  idle: Connection[]
  lent: number
  resting: number
  waiting: Set<Borrower>
  /** Every connection rests after every answer. */
  isCareful: boolean
}

/** A server that closes without having said so does it within a moment of its answer. */
const REST_MS = 10
const CAREFUL_MS = 60_000

/**
 * Connections that are kept open for the next request to their origin: so many at most; further requests wait.
 *
 * The one given back last is lent next. When that happens before undici sees it without a request, it sets no timer and
 * lets no turn of the event loop pass to look for a close, and a request costs a quarter less than with undici's own
 * pool, which lends another one meanwhile. So that no request is lost with a connection that its server is about to close,
 * each rests after its first answer, and after every one when a request was lost a while ago.
 */
export class Connections {
  readonly #mostPerOrigin: number
  readonly #options: Undici.Options
  readonly #homes = new Map<string, Home>()
  readonly #open = new Set<Connection>()
  #isClosed = false

  constructor(mostPerOrigin: number, options: Undici.Options) {
    this.#mostPerOrigin = mostPerOrigin
    this.#options = options
  }

  /** Lends a connection at once, or as soon as there is one. */
  lend(origin: string, borrower: Borrower): void {
    if (this.#isClosed) return borrower.refuse(new ClientClosedError())
    const home = this.#homeOf(origin)
    const connection = home.idle.pop() ?? (this.#hasRoom(home) ? this.#connect(home) : null)
    if (connection === null) {
      home.waiting.add(borrower)
      return
    }
    connection.state = 'lent'
    home.lent++
    borrower.start(connection)
  }

  /** It does not wait any more. */
  withdraw(origin: string, borrower: Borrower): void {
    this.#homes.get(origin)?.waiting.delete(borrower)
  }

  /** Its request was answered. */
  giveBack(connection: Connection): void {
    if (connection.state !== 'lent') return
    const { home } = connection
    home.lent--
    if (connection.isProven && !home.isCareful) return this.#makeIdle(connection)
    connection.state = 'resting'
    home.resting++
    setTimeout(() => {
      if (connection.state !== 'resting') return
      home.resting--
      connection.isProven = true
      this.#makeIdle(connection)
    }, REST_MS).unref()
  }

  /** Its request failed, or nothing is left of it: it is not used again. */
  drop(connection: Connection): void {
    const { home, state } = connection
    if (state === 'gone') return
    connection.state = 'gone'
    this.#open.delete(connection)
    if (state === 'lent') {
      home.lent--
      if (connection.isProven) this.#beCareful(home)
    } else if (state === 'resting') home.resting--
    else home.idle.splice(home.idle.indexOf(connection), 1)
    void connection.client.destroy()
    this.#lendToNext(home)
    this.#forget(home)
  }

  /** Requests under way fail, and waiting ones are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    const closed = Array.from(this.#open, ({ client }) => client.destroy())
    for (const home of this.#homes.values()) while (home.waiting.size > 0) this.#lendToNext(home)
    await Promise.all(closed)
  }

  /** Whether another connection may be opened, unless a resting one will do. */
  #hasRoom({ lent, resting, waiting }: Home): boolean {
    return lent + resting < this.#mostPerOrigin && waiting.size >= resting
  }

  #beCareful(home: Home): void {
    if (home.isCareful) return
    home.isCareful = true
    setTimeout(() => {
      home.isCareful = false
      this.#forget(home)
    }, CAREFUL_MS).unref()
  }

  #forget({ origin, lent, resting, idle, isCareful }: Home): void {
    if (lent + resting + idle.length === 0 && !isCareful) this.#homes.delete(origin)
  }

  #makeIdle(connection: Connection): void {
    connection.state = 'idle'
    connection.home.idle.push(connection)
    this.#lendToNext(connection.home)
  }

  #lendToNext({ origin, waiting }: Home): void {
    const [next] = waiting
    if (next === undefined) return
    waiting.delete(next)
    this.lend(origin, next)
  }

  #homeOf(origin: string): Home {
    const known = this.#homes.get(origin)
    if (known !== undefined) return known
    const home: Home = { origin, idle: [], lent: 0, resting: 0, waiting: new Set(), isCareful: false }
    this.#homes.set(origin, home)
    return home
  }

  #connect(home: Home): Connection {
    const client = new Client(home.origin, this.#options)
    const connection: Connection = { client, home, state: 'idle', isProven: false }
    this.#open.add(connection)
    // undici reopens a connection that has a request on it, and nothing is known of the new one.
    client.on('disconnect', () => {
      if (connection.state === 'lent') connection.isProven = false
      else this.drop(connection)
    })
    return connection
  }
}

const CONNECT_TIMEOUT_MS = 10_000
const NEXT_ADDRESS_MS = 300

/**
 * Makes undici's connections. The policy judges the very addresses that the socket is then given, so a name that
 * answers differently a moment later gains nothing. `sockets` holds every connection from its first moment on.
 */
export function createConnector(options: {
  policy: AddressPolicy
  names: Names
  sockets: Set<Socket>
}): Connector.connector {
  const { policy, names, sockets } = options
  const connect = buildConnector({
    lookup: createLookup(policy, names),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    // Said, because Node's default can be turned off from the environment.
    rejectUnauthorized: true,
  })
  return (target, callback) => {
    // A socket does not look up what is an address already.
    const refusal = isIP(target.hostname) === 0 ? null : policy(target.hostname)
    if (refusal !== null) {
      const failure = new OutboundFailure('address_refused', `${target.hostname} is ${refusal}.`)
      // undici does not expect to be called back before its own call returned.
      return process.nextTick(callback, failure, null)
    }
    // Declared to return nothing, it returns the socket, which there is no other way to reach while it connects.
    const socket = connect(target, callback) as unknown as Socket
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
}

/** The addresses of a name that may be connected to; those that may not are left out. */
function createLookup(policy: AddressPolicy, names: Names): LookupFunction {
  const findAllowed = async (name: string): Promise<{ address: string; family: number }[]> => {
    const found = await names.find(name)
    const refusals = found.map(policy)
    const allowed = found.filter((_, index) => refusals[index] === null)
    if (allowed.length === 0) {
      throw new OutboundFailure('address_refused', `${name} leads to ${refusals[0] ?? 'no address'}.`)
    }
    return allowed.map(address => ({ address, family: isIP(address) }))
  }
  const findByCallback = callbackify(findAllowed)
  return (name, { all }, callback) => {
    findByCallback(name, (failure, allowed) => {
      if (failure !== null) return callback(failure, [])
      if (all === true) return callback(null, allowed)
      return callback(null, allowed[0]?.address ?? '', allowed[0]?.family)
    })
  }
}
