import type { FastifyInstance } from 'fastify'
import type { LoanContext } from '../../loans/context.ts'
import { type Metrics, readKeyNumbers } from '../../http/metrics.ts'
import { auditList } from '../audit/audit.list.ts'
import { NO_INSTITUTE } from '../audit/audit.service.ts'
import { addInstallationList } from '../lists/list.routes.ts'
import { addOperatorRead, addOperatorWrite } from '../auth/access.routes.ts'
import { one } from '../../http/reply.ts'
import type { RequestLog } from '../../request-log/requests.service.ts'
import { resolveReport } from '../../payments/settlements/settlements.service.ts'
import { reportParams, resolutionInput } from '../money/books.schemas.ts'
import { healthOutput, setupOutput } from './health.output.ts'
import { describeSetup, readHealth, type Installation } from './health.service.ts'

/** What the process knows of itself. */
export type Watched = { installation: Installation; metrics: Metrics; requestLog: RequestLog }

export function operatorHealthRoutes(app: FastifyInstance, ctx: LoanContext, watched: Watched): void {
  const { installation, metrics, requestLog } = watched
  addOperatorRead(app, ctx, {
    url: '/health',
    output: one(healthOutput),
    async answer() {
      const [health, numbers] = await Promise.all([readHealth(ctx, installation), readKeyNumbers(metrics)])
      return { ...health, numbers: { ...numbers, requestsNotLogged: requestLog.dropped } }
    },
  })
  addOperatorRead(app, ctx, {
    url: '/providers',
    output: one(setupOutput),
    answer: async () => describeSetup(ctx, installation),
  })
  addOperatorWrite(app, ctx, {
    method: 'POST',
    url: '/providers/unmatched/:report_id/resolve',
    params: reportParams,
    body: resolutionInput,
    perform: (command, { who, params, body }) =>
      resolveReport(ctx, command, { id: params.reportId, by: who.email }, body.reason),
    audit: ({ body }, { id }) => ({ what: 'report.resolved', about: id, why: body.reason }),
  })
  // The log of acts on the installation: institutes, holidays and accounts.
  addInstallationList(app, ctx, { url: '/audit', list: auditList, of: { id: NO_INSTITUTE } })
}
