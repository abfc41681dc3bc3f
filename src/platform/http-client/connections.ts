import type * as Undici from 'undici'
import { createRequire } from 'node:module'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { callbackify } from 'node:util'
import type { AddressPolicy } from './addresses.ts'
import { OutboundFailure } from './failure.ts'
import { lookup, Resolver } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { smallestOf } from '../lists.ts'

/** The parts of undici that make connections. The whole of it brings fetch, caches and WebSockets: 90 files more at each start. */
const require = createRequire(import.meta.url)
const buildConnector = require('undici/lib/core/connect.js') as typeof Undici.buildConnector
export const Agent = require('undici/lib/dispatcher/agent.js') as typeof Undici.Agent

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
}): Undici.buildConnector.connector {
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

/**
 * Names to addresses. `dns.lookup` holds one of libuv's four threads for as long as the name's servers like, which file
 * access and hashing share; so DNS is asked without threads, and the system only about what DNS does not know (its
 * hosts file and search domains) and by few at a time. The caller checks the address: this only finds it.
 */
export class Names {
  readonly #nameServers: readonly string[]
  readonly #underWay = new Map<string, Promise<readonly string[]>>()
  readonly #known = new Map<string, { addresses: readonly string[]; until: number }>()
  readonly #systemQueue = new Queue(SYSTEM_LOOKUPS_AT_ONCE)
  #resolver: { of: Resolver; until: number } | null = null

  constructor(nameServers: readonly string[] = []) {
    this.#nameServers = nameServers
  }

  /** Answers at least one address. Callers who ask for the same name at the same time share the lookup. */
  async find(name: string): Promise<readonly string[]> {
    const known = this.#known.get(name)
    if (known !== undefined && known.until > performance.now()) return known.addresses
    let finding = this.#underWay.get(name)
    if (finding === undefined) {
      finding = this.#ask(name).finally(() => this.#underWay.delete(name))
      this.#underWay.set(name, finding)
    }
    return finding
  }

  close(): void {
    this.#resolver?.of.cancel()
  }

  async #ask(name: string): Promise<readonly string[]> {
    const bare = name.toLowerCase().replace(/\.$/, '')
    // RFC 6761 says so, and no server has to be asked.
    if (bare === 'localhost' || bare.endsWith('.localhost')) return ['127.0.0.1', '::1']
    if (bare.includes('.')) {
      const answers = await this.#askDns(name)
      const addresses = answers.flatMap(answer => answer.addresses)
      if (addresses.length > 0) return this.#remember(name, addresses, answers)
      if (!answers.every(({ code }) => code !== null && DOES_NOT_KNOW.has(code))) {
        throw new OutboundFailure('name_not_found', `DNS gave no answer for ${name}.`)
      }
    }
    return this.#systemQueue.run(() => askSystem(name))
  }

  /** Once one family is there, the other is not waited for long: some servers never answer for AAAA. */
  async #askDns(name: string): Promise<DnsAnswer[]> {
    const resolver = this.#currentResolver()
    const answers: DnsAnswer[] = []
    const asked = [
      readAnswer(resolver.resolve4(name, { ttl: true })),
      readAnswer(resolver.resolve6(name, { ttl: true })),
    ].map(async asking => void answers.push(await asking))
    const all = Promise.all(asked)
    await Promise.race(asked)
    const isFound = answers.some(({ addresses }) => addresses.length > 0)
    await (isFound ? Promise.race([all, pause(OTHER_FAMILY_MS)]) : all)
    return answers
  }

  #remember(name: string, addresses: string[], answers: readonly DnsAnswer[]): readonly string[] {
    const ttlMs = Math.min(REMEMBERED_MS, smallestOf(answers.map(answer => answer.ttlMs)))
    if (ttlMs > 0) {
      // The oldest goes first, as a Map keeps its order.
      const [oldest] = this.#known.keys()
      if (this.#known.size >= MOST_REMEMBERED && oldest !== undefined) this.#known.delete(oldest)
      this.#known.set(name, { addresses, until: performance.now() + ttlMs })
    }
    return addresses
  }

  /** Made anew now and then: one reads the system's list of servers only when made, and a laptop moves. */
  #currentResolver(): Resolver {
    const now = performance.now()
    if (this.#resolver === null || this.#resolver.until < now) {
      const of = new Resolver({ timeout: DNS_TRY_MS, tries: DNS_TRIES })
      if (this.#nameServers.length > 0) of.setServers(this.#nameServers)
      this.#resolver = { of, until: now + RESOLVER_LIFE_MS }
    }
    return this.#resolver.of
  }
}

const DNS_TRY_MS = 2_000
// The second try waits twice as long; both end before a connection is given up, so that DNS is named as the culprit.
const DNS_TRIES = 2
const OTHER_FAMILY_MS = 50
const RESOLVER_LIFE_MS = 30_000
const REMEMBERED_MS = 5_000
/** Hosts come from subscribers, so their number is not ours to choose. */
const MOST_REMEMBERED = 10_000
const SYSTEM_LOOKUPS_AT_ONCE = 2
const DOES_NOT_KNOW: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EBADNAME'])

type DnsAnswer = { addresses: string[]; ttlMs: number; code: string | null }

async function readAnswer(asking: Promise<{ address: string; ttl: number }[]>): Promise<DnsAnswer> {
  try {
    const records = await asking
    const ttlMs = smallestOf(records.map(record => record.ttl * 1_000))
    return { addresses: records.map(record => record.address), ttlMs, code: null }
  } catch (error) {
    return { addresses: [], ttlMs: Infinity, code: (error as NodeJS.ErrnoException).code ?? '' }
  }
}

async function askSystem(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true }).catch(() => [])
  if (found.length > 0) return found.map(({ address }) => address)
  throw new OutboundFailure('name_not_found', `The name ${name} was not found.`)
}

/** Runs a limited number at once, in the order in which they came. */
class Queue {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#limit) await new Promise<void>(resolve => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}
