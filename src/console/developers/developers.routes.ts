import type { FastifyInstance } from 'fastify'
import type { ErpContext } from '../../erp/context.ts'
import { deliveryConsoleRoutes } from './deliveries.routes.ts'
import { erpConsoleRoutes } from './erp.routes.ts'
import { keyRoutes } from './keys.routes.ts'
import { webhookConsoleRoutes } from './webhooks.routes.ts'
import type { Context } from '../../platform/context.ts'
import { EVERYONE } from '../console.rules.ts'
import { one } from '../../http/reply.ts'
import { requestList } from '../../request-log/request.list.ts'
import { requestParams, requestOutput } from '../../request-log/requests.schemas.ts'
import { getRequest } from '../../request-log/requests.service.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { addList } from '../lists/list.routes.ts'

/** Keys, webhooks, what was told and asked, and the way to the ERP. */
export function developerRoutes(app: FastifyInstance, ctx: ErpContext): void {
  keyRoutes(app, ctx)
  webhookConsoleRoutes(app, ctx)
  deliveryConsoleRoutes(app, ctx)
  requestRoutes(app, ctx)
  erpConsoleRoutes(app, ctx)
}

/** The log covers the last month at least. Under load some requests may be missing. */
function requestRoutes(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, { url: '/requests', list: requestList })
  addConsoleRead(app, ctx, {
    url: '/requests/:request_id',
    roles: EVERYONE,
    params: requestParams,
    output: one(requestOutput),
    answer: ({ institute, params }) => getRequest(ctx, institute, params.requestId),
  })
}
