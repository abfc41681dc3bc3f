import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { EVERYONE } from '../console.rules.ts'
import { one, pageOf } from '../../http/reply.ts'
import { listAllRequestsQuery, requestParams, requestOutput } from '../../request-log/requests.schemas.ts'
import { getRequest, listRequests } from '../../request-log/requests.service.ts'
import { addConsoleRead } from '../auth/access.routes.ts'

/** The log covers the last month at least. Under load some requests may be missing. */
export function requestRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/requests',
    roles: EVERYONE,
    query: listAllRequestsQuery,
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
