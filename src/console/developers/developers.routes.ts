import type { FastifyInstance } from 'fastify'
import type { ErpContext } from '../../erp/context.ts'
import { deliveryConsoleRoutes } from './deliveries.routes.ts'
import { erpConsoleRoutes } from './erp.routes.ts'
import { keyRoutes } from './keys.routes.ts'
import { requestRoutes } from './requests.routes.ts'
import { webhookConsoleRoutes } from './webhooks.routes.ts'

/** Keys, webhooks, what was told and asked, and the way to the ERP. */
export function developerRoutes(app: FastifyInstance, ctx: ErpContext): void {
  keyRoutes(app, ctx)
  webhookConsoleRoutes(app, ctx)
  deliveryConsoleRoutes(app, ctx)
  requestRoutes(app, ctx)
  erpConsoleRoutes(app, ctx)
}
