import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { EVERYONE } from '../console.rules.ts'
import { one, pageOf } from '../../http/reply.ts'
import { listRequestsQuery, requestParams } from './requests.input.ts'
import { requestOutput } from './requests.output.ts'
import { getRequest, listRequests, RequestLog } from './requests.service.ts'
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

/** Of the last week. Under load some may be missing. */
export function requestRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/requests',
    roles: EVERYONE,
    query: listRequestsQuery,
    output: pageOf(requestOutput),
    answer: ({ institute, query: { cursor, limit, ...filter } }) =>
      listRequests(ctx, institute, filter, { cursor, limit }),
  })
  addConsoleRead(app, ctx, {
    url: '/requests/:request_id',
    roles: EVERYONE,
    params: requestParams,
    output: one(requestOutput),
    answer: ({ institute, params }) => getRequest(ctx, institute, params.requestId),
  })
}
