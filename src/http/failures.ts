import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest, FastifyInstance } from 'fastify'
import { badRequest, BursarError, isMoving } from '../platform/errors.ts'
import { writeRefusal } from '../platform/db/errors.ts'
import { newId } from '../platform/ids.ts'
import { REQUEST } from '../platform/limits.rules.ts'
import type { Log } from '../platform/log.ts'
import { challenge } from './auth.ts'
import { errorBody, JSON_TYPE } from './reply.ts'

/** Turns whatever went wrong, in our code or the framework's, into our envelope. */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): FastifyReply {
  const shown = toShown(error)
  request.errorCode = shown.code
  // A database that takes no writes fails every request, so that is logged once a minute.
  if (shown.httpStatus >= 500 && writeRefusal(shown.cause) === null && !isMoving(shown)) {
    log.error(
      { request_id: request.id, route: request.routeOptions.url, err: shown.cause ?? error },
      'request failed',
    )
  }
  // Only where a key is asked for: a browser would answer the challenge by a dialogue of its own.
  if (shown.code === 'AUE00000' && request.routeOptions.config.scope !== undefined) challenge(reply)
  if (shown.retryAfterS !== undefined) reply.header('retry-after', shown.retryAfterS)
  return reply
    .code(shown.httpStatus)
    .header('content-type', JSON_TYPE)
    .header('x-request-id', request.id)
    .send(errorBody(shown, request.id))
}

export function noSuchAddress({ method }: Pick<FastifyRequest, 'method'>): BursarError {
  return new BursarError('HUE00001', `There is no ${method} at this address. See /docs for what there is.`)
}

const CLOSE_MS = 1_000
export const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT'

/** What never became a request: broken HTTP, headers too large, a client too slow. */
export function answerClientError(error: Pick<NodeJS.ErrnoException, 'code'>, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { headers, body } = bareRefusal(clientErrorText(error.code))
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 400 ${STATUS_CODES[400]}\r\n${head.join('')}\r\n${body}`)
  // Who does not close its side would keep the connection, and what it has sent of a request.
  setTimeout(() => socket.destroy(), CLOSE_MS).unref()
}

/** An `Expect` header other than 100-continue, which Node would answer by itself. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { headers, body } = bareRefusal(
    'The Expect header asks for something that is not offered. Leave it out.',
  )
  response.writeHead(400, headers).end(body)
}

function bareRefusal(message: string): { headers: Record<string, string>; body: string } {
  const requestId = newId('req')
  const body = errorBody(badRequest(message), requestId)
  return {
    headers: {
      'content-type': JSON_TYPE,
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': requestId,
      connection: 'close',
    },
    body,
  }
}

function clientErrorText(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 'The request line and headers are too large; 16 KiB in all are accepted.'
    case TOO_SLOW:
      return `The request took too long to arrive. Send it within ${REQUEST.seconds} seconds.`
    default:
      return 'This is not a well-formed HTTP request.'
  }
}

export function toShown(error: unknown): BursarError {
  if (error instanceof BursarError) return error
  const status = frameworkStatus(error)
  if (status >= 400 && status < 500) return badRequest(frameworkText(error))
  return new BursarError(
    'SYE00000',
    'Something went wrong on our side. Please retry, and quote the request id.',
    {
      cause: error,
    },
  )
}

function frameworkStatus(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return 500
  return typeof error.statusCode === 'number' ? error.statusCode : 500
}

function frameworkText(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  if (code === 'FST_ERR_BAD_URL') return 'The address has a malformed percent-encoding.'
  return 'The request is not well-formed.'
}

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

/** `:name` in a route's address matches one segment or a part of it, and `*` the rest. */
function patternOf(url: string): RegExp {
  const parts = url.split(/(:\w+|\*)/).map(part => {
    if (part === '*') return '.*'
    return part.startsWith(':') ? '[^/]+' : RegExp.escape(part)
  })
  return new RegExp(`^${parts.join('')}$`)
}
