import apiReference from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { createMetrics } from './http/metrics.ts'
import { addHealthRoutes, type Readiness } from './http/health.ts'
import { addOpenApi } from './http/openapi-document.ts'
import { refuseOtherMethods } from './http/other-methods.ts'
import { createServer } from './http/server.ts'
import { EVENT_WEBHOOKS } from './journal/event-docs.ts'
import { orderRoutes } from './orders/orders.routes.ts'
import { paymentRoutes } from './payments/payments.routes.ts'
import type { Till } from './payments/till.ts'
import type { Log } from './platform/log.ts'
import { checkoutRoutes } from './portal/checkout.routes.ts'
import { deliveryPages } from './portal/delivery.routes.ts'
import { flexPages } from './portal/flex.routes.ts'
import { protectPages } from './portal/pages.ts'
import { bankRoutes } from './sandbox/bank.routes.ts'
import { clockRoutes } from './sandbox/clock.routes.ts'
import type { SandboxClock } from './sandbox/clock.service.ts'
import { sandboxErpRoutes } from './sandbox/erp.routes.ts'
import { sandboxFlexRoutes } from './sandbox/flex.routes.ts'
import { mailboxPages, mailboxRoutes } from './sandbox/mailbox.routes.ts'
import { sandboxPaymentRoutes } from './sandbox/payments.routes.ts'
import type { SandboxTill } from './sandbox/payments.service.ts'
import { triggerRoutes } from './sandbox/trigger.routes.ts'
import type { FlexGround } from './flex/flex-ground.ts'
import { flexRoutes } from './flex/flex.routes.ts'
import type { ErpGround } from './students/erp-line.ts'
import { pullRoutes } from './students/pull.routes.ts'
import { studentRoutes } from './students/students.routes.ts'
import { deliveryRoutes } from './webhooks/deliveries.routes.ts'
import { eventRoutes } from './webhooks/events.routes.ts'
import { subscriptionRoutes } from './webhooks/subscriptions.routes.ts'

export type AppOptions = {
  till: Till
  erpGround: ErpGround
  flex: FlexGround
  log: Log
  /** Only in sandbox mode. */
  sandbox: (SandboxClock & SandboxTill) | null
  readiness: Readiness
  metricsToken: string | null
  tls?: { cert: Buffer; key: Buffer } | undefined
  trustProxy: string[] | false
}

/** The reference is a page of ours: what would lead to its maker's services is switched off. */
const REFERENCE = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
} as const

/** Every route module by name; nothing is found by scanning folders. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { till, erpGround, flex, log, sandbox } = options
  const metrics = createMetrics(till.db)
  const app = createServer({ ground: till, log, metrics, tls: options.tls, trustProxy: options.trustProxy })
  const finishMethods = refuseOtherMethods(app)
  await addOpenApi(app, till.publicUrl, EVENT_WEBHOOKS)

  orderRoutes(app, till)
  paymentRoutes(app, till)
  studentRoutes(app, till)
  pullRoutes(app, erpGround)
  flexRoutes(app, flex)
  subscriptionRoutes(app, till)
  eventRoutes(app, till)
  deliveryRoutes(app, till)
  if (sandbox !== null) {
    clockRoutes(app, till, sandbox)
    sandboxPaymentRoutes(app, sandbox)
    sandboxFlexRoutes(app, sandbox)
    triggerRoutes(app, till)
    sandboxErpRoutes(app, till)
    mailboxRoutes(app, till)
  }

  addHealthRoutes(app, { ...options, ground: till, metrics })
  finishMethods()
  await app.register(apiReference, { routePrefix: '/docs', configuration: REFERENCE })
  await app.register(async pages => {
    await protectPages(pages, till.mode, log)
    checkoutRoutes(pages, till)
    flexPages(pages, flex)
    deliveryPages(pages, till)
    if (sandbox !== null) {
      bankRoutes(pages, sandbox)
      mailboxPages(pages, till)
    }
  })
  return app
}
