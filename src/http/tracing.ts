import type { FastifyInstance } from 'fastify'
import { failSpan, startRequestSpan, type TracedRequest } from '../platform/tracing/spans.ts'

declare module 'fastify' {
  interface FastifyRequest {
    traced: TracedRequest | null
  }
}

/** A span for each request, named by the route's pattern: addresses carry identifiers of people. */
export function traceRequests(app: FastifyInstance): void {
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
