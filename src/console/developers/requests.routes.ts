import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { EVERYONE } from '../console.rules.ts'
import { one } from '../../http/reply.ts'
import { requestList } from '../../request-log/request.list.ts'
import { requestParams, requestOutput } from '../../request-log/requests.schemas.ts'
import { getRequest } from '../../request-log/requests.service.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { addList } from '../lists/list.routes.ts'

/** The log covers the last month at least. Under load some requests may be missing. */
export function requestRoutes(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, { url: '/requests', list: requestList })
  addConsoleRead(app, ctx, {
    url: '/requests/:request_id',
    roles: EVERYONE,
    params: requestParams,
    output: one(requestOutput),
    answer: ({ institute, params }) => getRequest(ctx, institute, params.requestId),
  })
}
