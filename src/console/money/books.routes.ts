import type { FastifyInstance } from 'fastify'
import type { FlexContext } from '../../flex/context.ts'
import type { Context } from '../../platform/context.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { all, done, one } from '../../http/reply.ts'
import { mismatchAct } from '../approvals/acts.ts'
import { guarded } from '../approvals/guarded.routes.ts'
import { EVERYONE } from '../console.rules.ts'
import { FINANCE_ROLES } from '../students/students.rules.ts'
import { addList } from '../lists/list.routes.ts'
import { takeMismatch } from '../../payments/mismatches/settle-mismatch.service.ts'
import { resolveReport } from '../../payments/settlements/unmatched.service.ts'
import { reportParams, resolutionInput } from './books.input.ts'
import { accountOutput, checkOutput, reconciliationOutput } from './books.output.ts'
import { ledgerList } from './ledger.list.ts'
import { reconciliationList } from './reconciliation.list.ts'
import * as service from './books.service.ts'

const RECONCILIATION = '/money/reconciliation'
const LEDGER = '/money/ledger'

/** How our books and the provider's agree. */
export function reconciliationRoutes(app: FastifyInstance, ctx: FlexContext): void {
  addConsoleRead(app, ctx, {
    url: RECONCILIATION,
    roles: EVERYONE,
    output: one(reconciliationOutput),
    answer: ({ institute }) => service.sumReconciliation(ctx, institute),
  })
  addList(app, ctx, { url: `${RECONCILIATION}/items`, list: reconciliationList })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${RECONCILIATION}/items/:report_id/resolve`,
    roles: FINANCE_ROLES,
    params: reportParams,
    body: resolutionInput,
    perform: (command, { institute, who, params: { reportId: id }, body }) =>
      resolveReport(ctx, command, { instituteId: institute.id, id, by: who.email }, body.reason),
    audit: ({ body }, { id }) => ({ what: 'report.resolved', about: id, why: body.reason }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${RECONCILIATION}/items/:report_id/refund`,
    roles: FINANCE_ROLES,
    params: reportParams,
    body: resolutionInput,
    ...guarded(ctx, mismatchAct, {
      name: 'refund_of_other_amount',
      output: done,
      aboutOf: ({ reportId }: { reportId: string }) => reportId,
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${RECONCILIATION}/items/:report_id/take`,
    roles: FINANCE_ROLES,
    params: reportParams,
    body: resolutionInput,
    perform: (command, { institute, who, params: { reportId: id }, body }) =>
      takeMismatch(ctx, command, { instituteId: institute.id, id, by: who.email }, body.reason),
    audit: ({ body }, { id }) => ({ what: 'report.taken', about: id, why: body.reason }),
  })
  addConsoleRead(app, ctx, {
    url: `${RECONCILIATION}/checks`,
    roles: EVERYONE,
    output: all(checkOutput),
    answer: ({ institute }) => service.checkBooks(ctx, institute),
  })
}

/** Shows the ledger as it was written; no transfer is ever changed or taken away. */
export function ledgerRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: `${LEDGER}/accounts`,
    roles: EVERYONE,
    output: all(accountOutput),
    answer: ({ institute }) => service.listAccounts(ctx, institute),
  })
  addList(app, ctx, { url: `${LEDGER}/transfers`, list: ledgerList })
}
