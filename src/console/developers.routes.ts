import type { FastifyInstance } from 'fastify'
import type { ErpGround } from '../students/erp-line.ts'
import { deliveryConsoleRoutes } from './developers-deliveries.routes.ts'
import { erpConsoleRoutes } from './developers-erp.routes.ts'
import { keyRoutes } from './developers-keys.routes.ts'
import { requestRoutes } from './developers-requests.routes.ts'
import { webhookConsoleRoutes } from './developers-webhooks.routes.ts'

/** Keys, webhooks, what was told and asked, and the way to the ERP. */
export function developerRoutes(app: FastifyInstance, ground: ErpGround): void {
  keyRoutes(app, ground)
  webhookConsoleRoutes(app, ground)
  deliveryConsoleRoutes(app, ground)
  requestRoutes(app, ground)
  erpConsoleRoutes(app, ground)
}
