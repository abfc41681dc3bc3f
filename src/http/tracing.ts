import { context, type Context, type Span } from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'
import { failSpan, startRequestSpan } from '../platform/tracing/spans.ts'

declare module 'fastify' {
  interface FastifyRequest {
    traced: { span: Span; within: Context } | null
  }
}

/** A span for each request, named by the route's pattern: addresses carry identifiers of people. */
export function traceRequests(app: FastifyInstance): void {
  app.decorateRequest('traced', null)
  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    request.traced = startRequestSpan(`${request.method} ${route}`)
    request.traced.span.setAttributes({
      'http.request.method': request.method,
      'http.route': route,
      'bursar.request_id': request.id,
    })
    context.with(request.traced.within, done)
  })
  // Reading the body may have left the request's own context.
  app.addHook('preHandler', (request, _reply, done) => {
    context.with(request.traced?.within ?? context.active(), done)
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
