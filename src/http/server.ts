import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { isIP } from 'node:net'
import { type Caller, requireScope, type Scope } from '../institutes/institutes.rules.ts'
import { badRequest, BursarError, type ErrorCode } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { askAs, countForSchool, type Asker } from '../platform/db/connection-turns.ts'
import { newId } from '../platform/ids.ts'
import { FILES, JSON_BODY, REQUEST, UPLOADS } from '../platform/limits.rules.ts'
import type { Log } from '../platform/log.ts'
import { networkOf } from '../platform/rate-limits.rules.ts'
import { Authenticator } from './auth.ts'
import {
  answerClientError,
  answerError,
  answerExpectation,
  answerHeads,
  answerUnmatched,
  isServed,
} from './failures.ts'
import { observeRequests, type Metrics } from './metrics.ts'
import { Bodies, type BodyUnderWay, Uploads } from './limits/bodies.ts'
import { PublicLimit, RateLimiter, type Rate } from './limits/rate-limits.ts'
import { SlowReaders, SlowSenders } from './limits/slow-connections.ts'
import { failSpan, startRequestSpan, type TracedRequest } from '../platform/tracing/spans.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** The Content-Type that was sent; the framework sees one type for all, see server.ts. */
    declaredType: string | undefined
    /** The code of the error that it was answered with. */
    errorCode: ErrorCode | null
    /** Set while a body that is read as a whole arrives; null: nothing has come. */
    bodyUnderWay: BodyUnderWay | null
    /** Whose turns its statements wait in: its network's, until it has proved to be of a school. */
    asker: Asker | null
  }
  interface FastifyInstance {
    /** Limits requests of people who are signed in to the console. */
    sessionLimiter: RateLimiter
    publicLimit: PublicLimit
    uploads: Uploads
    bodies: Bodies
  }
  interface FastifyContextConfig {
    /** What an API key needs for this route; a route without it takes no key. */
    scope?: Scope
    /** Who is not limited by address: probes not at all, callers with a session or signature once they have proved it. */
    limitedBy?: 'nothing' | 'route'
  }
}

type ServerOptions = {
  ctx: Context
  log: Log
  metrics: Metrics
  tls?: { cert: Buffer; key: Buffer } | undefined
  trustProxy: string[] | false
  publicRate: Rate
  /** Given: each request has a span. */
  tracing?: unknown
}

const HEADERS_TIMEOUT_MS = REQUEST.seconds * 1_000
/** The longest that any file may take. What is no file has less, see slow-connections.ts: Node knows one time for all. */
const REQUEST_TIMEOUT_MS = (REQUEST.seconds + FILES.import.bytes / UPLOADS.bytesPerSecond) * 1_000
const TIMEOUT_CHECK_MS = 2_000
const KEEP_ALIVE_MS = 65_000

/** The shared edge: ids, authentication, limits, headers, errors. Features add their routes to it. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { ctx, log, metrics, tls } = options
  const serverOptions = {
    // Node would refuse a missing Host by itself, without our envelope; admitCallers does it.
    requireHostHeader: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  }
  const app: FastifyInstance = Fastify({
    ...(tls === undefined ? { http: serverOptions } : { https: { ...tls, ...serverOptions } }),
    logger: false,
    exposeHeadRoutes: false,
    genReqId: () => newId('req'),
    bodyLimit: JSON_BODY.bytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    trustProxy: options.trustProxy,
    // Requests that arrive while we drain are still served; readiness has long sent the others elsewhere.
    return503OnClosing: false,
    // Long ids reach the reader, which says what is wrong with them.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply, log),
    clientErrorHandler: answerClientError,
  })
  answerHeads(app)
  app.server.on('checkExpectation', answerExpectation)
  const stopSweeping = new SlowReaders(app.server).start()
  app.addHook('onClose', stopSweeping)
  const uploads = new Uploads(ctx.db.semaphore)
  app.decorate('uploads', uploads)
  app.addHook('onClose', uploads.start())
  app.addHook('preClose', async () => uploads.endSoon(performance.now()))
  const slowSenders = new SlowSenders()
  app.addHook('onClose', slowSenders.start())
  app.addHook('onRequest', (request, reply, done) => {
    slowSenders.watch(request, reply)
    done()
  })
  app.decorate('sessionLimiter', new RateLimiter())
  app.decorate('publicLimit', new PublicLimit(options.publicRate))
  app.decorateRequest('caller', null)
  app.decorateRequest('declaredType', undefined)
  app.decorateRequest('errorCode', null)
  app.decorateRequest('uploader', null)
  app.decorateRequest('upload', null)
  app.decorateRequest('bodyUnderWay', null)
  nameAskers(app)
  if (options.tracing) traceRequests(app)
  readBodiesRaw(app)
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, log))
  answerUnmatched(app)
  admitCallers(app, ctx)
  observeRequests(app, log, metrics)
  return app
}

function nameAskers(app: FastifyInstance): void {
  app.decorateRequest('asker', null)
  app.addHook('onRequest', (request, _reply, done) => {
    request.asker = { name: `network ${networkOf(request.ip)}` }
    askAs(request.asker, done)
  })
  // Reading the body may have left the request's own context.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.asker === null) return done()
    askAs(request.asker, done)
  })
}

function readBodiesRaw(app: FastifyInstance): void {
  const bodies = new Bodies()
  app.decorate('bodies', bodies)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, _payload, done) => bodies.receive(request, done))
  app.addHook('preParsing', (request, reply, _payload, done) => {
    // A response also closes when its sender has gone away.
    reply.raw.once('close', () => {
      if (request.bodyUnderWay !== null) bodies.release(request.bodyUnderWay)
    })
    done()
  })
  app.addHook('onRequest', (request, _reply, done) => {
    request.declaredType = request.headers['content-type']
    // A malformed or unknown type must not stop an empty body, so the framework is shown none of them.
    if (request.declaredType !== undefined) request.headers['content-type'] = 'application/octet-stream'
    done()
  })
}

function admitCallers(app: FastifyInstance, ctx: Context): void {
  const authenticator = new Authenticator(ctx)
  const limiter = new RateLimiter()
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (ctx.mode === 'live') reply.header('strict-transport-security', 'max-age=31536000')
    refuseUnclear(request)
    refuseForeignHost(ctx, request)
    const { scope, limitedBy } = request.routeOptions.config
    if (scope === undefined) {
      if (limitedBy === undefined) await app.publicLimit.admit(request)
      return
    }
    reply.header('cache-control', 'no-store')
    if (ctx.mode === 'live') refusePlainHttp(request)
    request.caller = await app.publicLimit.countFailures(request, () =>
      authenticator.identify(request.headers.authorization),
    )
    countForSchool(request.caller.institute.id)
    limiter.admit(request.caller, reply, performance.now())
    requireScope(request.caller, scope)
  })
}

/** Refuses requests that a proxy and we could read differently, and those that we cannot read at all. */
function refuseUnclear({ method, headers, raw }: FastifyRequest): void {
  if (!isServed(method)) throw new BursarError('HUE00003', `${method} is not served here.`)
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    throw badRequest('HTTP/1.1 needs a Host header.')
  }
  const names = raw.rawHeaders.filter((_text, index) => index % 2 === 0).map(name => name.toLowerCase())
  for (const once of ['host', 'authorization'])
    if (names.indexOf(once) !== names.lastIndexOf(once)) throw badRequest(`Send one ${once} header.`)
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw badRequest('Send the body as it is, without a Content-Encoding.')
  }
}

export function refusePlainHttp(request: FastifyRequest): void {
  if (request.protocol !== 'https')
    throw badRequest('This API is served over HTTPS only. Use an https:// address.')
}

const HOST = /^(?:\[(?<address>[0-9a-f:.]+)\]|(?<name>[a-z0-9._-]+))(?::\d{1,5})?$/i

/** Probes and scrapers come under whatever name their network gives us, and read nothing private. */
const OPEN: readonly (string | undefined)[] = ['/healthz', '/readyz', '/metrics']

/**
 * A sandbox has published keys and no passwords: all that keeps web pages from using it is that it is another origin. A page
 * whose own name was made to point here (DNS rebinding) is not, but its requests carry that name. An address in numbers
 * cannot be made to point elsewhere.
 */
function refuseForeignHost({ mode, publicUrl }: Context, request: FastifyRequest): void {
  // A request without one is HTTP/1.0, which no browser speaks.
  if (request.headers.host === undefined) return
  const { name, address } = HOST.exec(request.host)?.groups ?? {}
  const host = (name ?? address)?.toLowerCase()
  if (host === undefined) throw badRequest('The Host header is neither a name nor an address.')
  if (mode === 'live' || OPEN.includes(request.routeOptions.url)) return
  if (isIP(host) !== 0 || isLoopback(host) || host === URL.parse(publicUrl)?.hostname) return
  throw badRequest(`This sandbox is reached at ${publicUrl}. To reach it under another name, set PUBLIC_URL.`)
}

/** Whether nobody but this machine reaches it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\.[\d.]+$/.test(host)
}

declare module 'fastify' {
  interface FastifyRequest {
    traced: TracedRequest | null
  }
}

/** A span for each request, named by the route's pattern: addresses carry identifiers of people. */
function traceRequests(app: FastifyInstance): void {
  app.decorateRequest('traced', null)
  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    request.traced = startRequestSpan(`${request.method} ${route}`)
    if (request.traced === null) return done()
    request.traced.span.setAttributes({
      'http.request.method': request.method,
      'http.route': route,
      'bursar.request_id': request.id,
    })
    request.traced.go(done)
  })
  // Reading the body may have left the request's own context.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.traced === null) return done()
    request.traced.go(done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const span = request.traced?.span
    span?.setAttribute('http.response.status_code', reply.statusCode)
    if (request.caller !== null) span?.setAttribute('bursar.institute', request.caller.institute.code)
    if (reply.statusCode >= 500 && span !== undefined) failSpan(span, String(reply.statusCode))
    span?.end()
    done()
  })
}
