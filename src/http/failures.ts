import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
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
