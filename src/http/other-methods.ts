import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BursarError } from '../platform/errors.ts'
import { noSuchAddress } from './failures.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Methods such as TRACE and QUERY are not, at any address. */
export function isServed(method: string): boolean {
  return METHODS.includes(method)
}

const heads = new WeakSet<IncomingMessage>()

/**
 * HEAD is answered by the route of GET, and Node leaves the body out. Routes of its own for it would be a third of them
 * all, and of the time that a start takes.
 */
export function answerHeads({ server }: FastifyInstance): void {
  server.prependListener('request', (request: IncomingMessage) => {
    if (request.method !== 'HEAD') return
    heads.add(request)
    request.method = 'GET'
  })
}

export function isHead({ raw }: FastifyRequest): boolean {
  return heads.has(raw)
}

/** The method that the client sent, before HEAD was answered as GET. */
export function methodOf(request: FastifyRequest): string {
  return isHead(request) ? 'HEAD' : request.method
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers a request that no route takes. */
    refuseUnmatched(request: FastifyRequest, reply: FastifyReply): never
  }
}

const ANY_ADDRESS = '/*'

/**
 * A known address with a method it does not have is 405, any other 404. The router knows addresses by method only, so
 * they are compared here, and only for a request that no route takes: a refusal as a route of its own for every other
 * method would be most of the routes, and of the time that a start takes.
 */
export function answerUnmatched(app: FastifyInstance): void {
  const methodsByUrl = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    if (url === ANY_ADDRESS) return
    const known = methodsByUrl.get(url) ?? new Set()
    for (const one of [method].flat()) known.add(one)
    if (known.has('GET')) known.add('HEAD')
    methodsByUrl.set(url, known)
  })
  const patterns = new Map<string, RegExp>()
  const isAt = (url: string, path: string): boolean => {
    const pattern = patterns.get(url) ?? patternOf(url)
    patterns.set(url, pattern)
    return pattern.test(path)
  }
  app.decorate('refuseUnmatched', (request: FastifyRequest, reply: FastifyReply): never => {
    const path = pathOf(request)
    const found = [...methodsByUrl].flatMap(([url, methods]) => (isAt(url, path) ? [...methods] : []))
    // A route may take the address and find nothing there, such as a folder of files.
    const method = methodOf(request)
    if (found.length === 0 || found.includes(method)) throw noSuchAddress({ method })
    const allow = [...new Set(found)].sort().join(', ')
    reply.header('allow', allow)
    throw new BursarError('HUE00003', `${method} is not possible here; use ${allow}.`)
  })
  app.setNotFoundHandler((request, reply) => app.refuseUnmatched(request, reply))
}

function pathOf({ url }: FastifyRequest): string {
  const end = url.search(/[?#]/)
  return end < 0 ? url : url.slice(0, end)
}

/** In a route's address `:name` matches one segment or a part of it, and `*` the rest. */
function patternOf(url: string): RegExp {
  const parts = url.split(/(:\w+|\*)/).map(part => {
    if (part === '*') return '.*'
    return part.startsWith(':') ? '[^/]+' : RegExp.escape(part)
  })
  return new RegExp(`^${parts.join('')}$`)
}
