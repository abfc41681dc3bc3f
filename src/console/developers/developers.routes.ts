import type { FastifyInstance } from 'fastify'
import type { ErpGround } from '../../erp/context.ts'
import { deliveryConsoleRoutes } from './deliveries.routes.ts'
import { erpConsoleRoutes } from './erp.routes.ts'
import { keyRoutes } from './keys.routes.ts'
import { requestRoutes } from './requests.routes.ts'
import { webhookConsoleRoutes } from './webhooks.routes.ts'

/** Keys, webhooks, what was told and asked, and the way to the ERP. */
export function developerRoutes(app: FastifyInstance, ground: ErpGround): void {
  keyRoutes(app, ground)
  webhookConsoleRoutes(app, ground)
  deliveryConsoleRoutes(app, ground)
  requestRoutes(app, ground)
  erpConsoleRoutes(app, ground)
}
