import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { ok, page } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import { EVERYONE } from '../console.rules.ts'
import { RequestParams, RequestsQuery, RequestView, type RequestAnswer } from './requests.schemas.ts'
import { getRequest, listRequests, RequestLog, type LoggedRequest } from './requests.service.ts'
import { addConsoleRead } from '../auth/access.routes.ts'

/** Whatever comes with an API key is put down once it is answered; what is left is written when the server closes. */
export function keepRequestLog(app: FastifyInstance, ctx: Context): RequestLog {
  const log = new RequestLog(ctx.db)
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, id, method, errorCode } = request
    if (caller !== null) {
      const ms = reply.elapsedTime
      log.add({
        instituteId: caller.institute.id,
        id,
        at: new Date(Date.now() - ms),
        method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        errorCode,
        ms,
        keyId: caller.keyId,
      })
    }
    done()
  })
  app.addHook('onClose', () => log.close())
  return log
}

export function requestRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/requests',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListRequests',
      summary: 'List requests of the ERP',
      description:
        'Of the last week, the newest first, within a second or two. Under load some may be missing.',
      data: Type.Array(RequestView),
      isList: true,
    },
    query: RequestsQuery,
    async answer({ institute, query }) {
      const { outcome, method, route, key_id: keyId, from, to: before, cursor, limit = 50 } = query
      const filter = { outcome, method, route, keyId, from, before }
      const { rows, nextCursor } = await listRequests(ctx, institute, filter, { cursor, limit })
      return page(rows.map(view), nextCursor)
    },
  })
  addConsoleRead(app, ctx, {
    url: '/requests/:request_id',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetRequest',
      summary: 'Read a request',
      description: 'By its x-request-id.',
      data: RequestView,
    },
    params: RequestParams,
    answer: async ({ institute, params }) => ok(view(await getRequest(ctx, institute, params.request_id))),
  })
}

function view(request: LoggedRequest): RequestAnswer {
  return {
    id: request.id,
    at: request.at.toISOString(),
    method: request.method,
    route: request.route,
    status: request.status,
    ...(request.errorCode === null ? {} : { error_code: request.errorCode }),
    ms: Math.round(request.ms * 10) / 10,
    key_id: request.keyId,
  }
}
