import { createRequire } from 'node:module'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { callbackify } from 'node:util'
import type * as Undici from 'undici'
import type { AddressPolicy } from './addresses.ts'
import { OutboundFailure } from './failure.ts'
import type { Names } from './names.ts'

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
