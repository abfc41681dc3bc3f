import { loanParentPages, loanPages } from '../portal/loan/loan.routes.ts'
import { planSetupPages } from '../portal/plan/setup.routes.ts'
import { historyPages } from '../portal/parents/history.routes.ts'
import { parentPages } from '../portal/parents/parents.routes.ts'
import { planPages } from '../portal/plan/plan.routes.ts'
import type { FastifyInstance } from 'fastify'
import { billerUnitRoutes } from '../bharat-connect/unit.routes.ts'
import { loanRoutes } from '../loans/loans.routes.ts'
import { protocolRoutes } from '../loans/protocol/protocol.routes.ts'
import { duesRoutes } from '../dues/dues.routes.ts'
import {
  createMetrics,
  observeBackups,
  addCallMetrics,
  addSharedFigures,
  type Metrics,
  addHealthRoutes,
  type Readiness,
} from '../http/metrics.ts'
import { docsRoutes } from '../http/docs/docs.routes.ts'
import { addOpenApi } from '../http/openapi/reference.ts'
import { addSecurityTxt } from '../http/security-txt.ts'
import { keepRouteTable } from '../http/endpoint.ts'
import { createServer } from '../http/server.ts'
import { EVENT_WEBHOOKS } from '../webhooks/events.docs.ts'
import { orderRoutes } from '../orders/orders.routes.ts'
import { paymentPageRoutes } from '../payment-pages/pages.routes.ts'
import { paymentRoutes } from '../payments/payments.routes.ts'
import { refuseOnTheWay } from '../dues/on-the-way.service.ts'
import { refuseUnchargeable } from '../payments/parts/parts.service.ts'
import { readOnTheWay } from '../payments/student-payments.service.ts'
import type { BursarContext } from './context.ts'
import { sharedFigures } from './status/status.service.ts'
import type { Log } from '../platform/log.ts'
import { checkoutRoutes, hostedPages } from '../portal/checkout/checkout.routes.ts'
import { deliveryPages } from '../portal/webhook-delivery.routes.ts'
import { entryRoutes, productRoutes, signInRoutes } from '../portal/entry/entry.routes.ts'
import { fontRoutes } from '../http/assets.ts'
import { appRoutes } from '../portal/app.routes.ts'
import { brandRoutes, frontPages } from '../portal/front.routes.ts'
import { plainOrigins, protectPages } from '../portal/layout.ts'
import { paymentPages } from '../portal/payment-page.routes.ts'
import { posterPages } from '../portal/poster/poster.routes.ts'
import { printedCodePages } from '../portal/printed-code.routes.ts'
import { parentSignInPages } from '../portal/sign-in/sign-in.routes.ts'
import { bankRoutes } from '../sandbox/bank/bank.routes.ts'
import { clockRoutes, sandboxConsoleRoutes } from '../sandbox/clock/clock.routes.ts'
import {
  demoSignInRoutes,
  sandboxErpRoutes,
  sandboxFlexRoutes,
  sandboxPaymentRoutes,
} from '../sandbox/acts.routes.ts'
import type { SandboxClock } from '../sandbox/clock/clock.service.ts'
import { integrationCheckRoutes } from '../sandbox/integration-check/integration-check.routes.ts'
import { sandboxLoanRoutes, lenderPages } from '../sandbox/lender/lender.routes.ts'
import type { SandboxLoans } from '../sandbox/lender/lender.service.ts'
import { mailboxPages, mailboxRoutes } from '../sandbox/mailbox.routes.ts'
import type { SandboxPlans, SandboxPayments } from '../sandbox/acts.service.ts'
import { triggerRoutes } from '../sandbox/trigger/trigger.routes.ts'
import { assistantRoutes } from '../assistant/assistant.routes.ts'
import { cellRoutes } from '../cells/cells.routes.ts'
import { consoleRoutes } from '../console/console.routes.ts'
import { keepRequestLog, requestRoutes } from '../request-log/requests.routes.ts'
import type { Machine } from './machine.ts'
import type { Installation } from '../console/operator/health.service.ts'
import { operatorRoutes } from '../console/operator/operator.routes.ts'
import { consolePages } from '../console/shell.routes.ts'
import { flexRoutes } from '../flex/plans/plans.routes.ts'
import { directPaymentRoutes } from '../students/direct-payments/direct-payments.routes.ts'
import { importRoutes } from '../imports/imports.routes.ts'
import { masterdataRoutes } from '../students/masterdata.routes.ts'
import { pullRoutes } from '../erp/pull/pull.routes.ts'
import { readUnsettled } from '../flex/plans/plans.service.ts'
import { changeStatus } from '../leaving/status.service.ts'
import { rolloverRoutes } from '../students/rollover/rollover.routes.ts'
import { studentRoutes } from '../students/students.routes.ts'
import { deliveryRoutes } from '../webhooks/delivery-log/deliveries.routes.ts'
import { subscriptionRoutes } from '../webhooks/subscriptions/subscriptions.routes.ts'
import type { Finding } from './doctor/doctor.rules.ts'
import { addOperatorRead } from '../console/auth/access.routes.ts'
import { all } from '../http/reply.ts'
import { outputOf, type Shown } from '../http/wire/output.ts'
import type { Context } from '../platform/context.ts'

/** What only a sandbox's routes reach: its clock and who stands in for banks and lenders. */
type SandboxTools = SandboxClock & SandboxPayments & SandboxPlans & SandboxLoans

type HealthRouteOptions = {
  ctx: BursarContext
  log: Log
  readiness: Readiness
  installation: Installation
  /** Null where nothing is served, as for the OpenAPI document. */
  machine: Machine | null
  metricsToken: string | null
  tls?: { cert: Buffer; key: Buffer } | undefined
  trustProxy: string[] | false
  publicRate: { perSecond: number; burst: number }
  tracing?: unknown
}

type RouteOptions = HealthRouteOptions & {
  securityContacts?: readonly string[]
  /** Null in live mode. */
  sandbox: SandboxTools | null
  /** What `bursar doctor` looks at. */
  examine: Examine
}

function createServerWithMetrics(options: HealthRouteOptions): { app: FastifyInstance; metrics: Metrics } {
  const { ctx, installation, machine } = options
  const metrics = createMetrics(ctx.db, installation.jobs, ctx.cell)
  addCallMetrics(metrics.registry, ctx.calls)
  addSharedFigures(metrics.registry, [...sharedFigures(ctx), ...(machine?.figures() ?? [])])
  if (installation.backups !== null) observeBackups(metrics, installation.backups)
  return { app: createServer({ ...options, metrics }), metrics }
}

/** All that a process serves whose role is worker. */
export function createHealthServer(options: HealthRouteOptions): FastifyInstance {
  const { app, metrics } = createServerWithMetrics(options)
  keepRouteTable(app)
  addHealthRoutes(app, { ...options, metrics })
  return app
}

/** Every route module by name; nothing is found by scanning folders. */
export async function createHttpServer(options: RouteOptions): Promise<FastifyInstance> {
  const { ctx, log, sandbox } = options
  const { app, metrics } = createServerWithMetrics(options)
  const requestLog = keepRequestLog(app, ctx)
  keepRouteTable(app)
  const described = { publicUrl: ctx.publicUrl, webhooks: EVENT_WEBHOOKS }
  addOpenApi(app, described)

  orderRoutes(app, ctx, {
    onTheWay: refuseOnTheWay,
    unchargeable: asked => refuseUnchargeable(ctx, asked),
  })
  paymentRoutes(app, ctx)
  paymentPageRoutes(app, ctx)
  studentRoutes(app, ctx)
  masterdataRoutes(app, ctx, (command, student, status) => changeStatus(ctx, command, student, status))
  rolloverRoutes(app, ctx, readUnsettled)
  directPaymentRoutes(app, ctx, readOnTheWay)
  await importRoutes(app, ctx)
  pullRoutes(app, ctx)
  duesRoutes(app, ctx)
  flexRoutes(app, ctx)
  entryRoutes(app, ctx)
  productRoutes(app, ctx)
  loanRoutes(app, ctx)
  billerUnitRoutes(app, ctx)
  protocolRoutes(app, ctx.publicUrl)
  subscriptionRoutes(app, ctx)
  deliveryRoutes(app, ctx)
  requestRoutes(app, ctx)
  await consoleRoutes(app, ctx)
  operatorRoutes(app, ctx, { installation: options.installation, metrics, requestLog })
  doctorRoutes(app, ctx, options.examine)
  assistantRoutes(app, ctx, log)
  cellRoutes(app, ctx)
  if (sandbox !== null) {
    demoSignInRoutes(app, ctx)
    clockRoutes(app, ctx, sandbox)
    sandboxConsoleRoutes(app, ctx, sandbox)
    sandboxPaymentRoutes(app, sandbox)
    sandboxFlexRoutes(app, sandbox)
    sandboxLoanRoutes(app, sandbox)
    triggerRoutes(app, ctx)
    sandboxErpRoutes(app, ctx)
    integrationCheckRoutes(app, ctx)
    mailboxRoutes(app, ctx)
  }

  addHealthRoutes(app, { ...options, metrics })
  addSecurityTxt(app, ctx, options.securityContacts ?? [])
  docsRoutes(app, described)
  await app.register(async pages => {
    const providerOrigins = plainOrigins(ctx.publicUrl, ctx.accounts.apiOrigins)
    await protectPages(pages, { mode: ctx.mode, log, providerOrigins })
    fontRoutes(pages)
    brandRoutes(pages, ctx)
    appRoutes(pages, ctx)
    checkoutRoutes(pages, ctx)
    hostedPages(pages)
    paymentPages(pages, ctx)
    planSetupPages(pages, ctx)
    signInRoutes(pages, ctx)
    parentPages(pages, ctx)
    parentSignInPages(pages, ctx)
    printedCodePages(pages, ctx)
    posterPages(pages, ctx)
    planPages(pages, ctx)
    loanPages(pages, ctx)
    loanParentPages(pages, ctx)
    historyPages(pages, ctx)
    deliveryPages(pages, ctx)
    frontPages(pages, ctx, log)
    if (sandbox !== null) {
      bankRoutes(pages, sandbox)
      lenderPages(pages, sandbox)
      mailboxPages(pages, ctx)
    }
  })
  await app.register(console => consolePages(console, ctx))
  return app
}

const finding = outputOf<Finding>()
const findingOutput = finding.object({
  subject: finding.text('What was looked at.', 'Public address'),
  verdict: finding.oneOf(['ok', 'warning', 'problem'], 'How it stands.'),
  text: finding.text('What was found, and what to do about it.', 'https://fees.example.in reaches Bursar'),
})

export type FindingAnswer = Shown<typeof findingOutput>

type Examine = () => Promise<Finding[]>

/** What `bursar doctor` says, for the operator in the console. It calls other hosts, so requests at the same time share one look. */
function doctorRoutes(app: FastifyInstance, ctx: Context, examine: Examine): void {
  let underWay: Promise<Finding[]> | null = null
  addOperatorRead(app, ctx, {
    url: '/doctor',
    output: all(findingOutput),
    async answer() {
      underWay ??= examine().finally(() => (underWay = null))
      return underWay
    },
  })
}
