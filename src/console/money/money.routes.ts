import type { FastifyInstance } from 'fastify'
import type { FlexContext } from '../../flex/context.ts'
import { disputeList } from '../../payments/disputes/dispute.list.ts'
import { addList } from '../lists/list.routes.ts'
import { ledgerRoutes, reconciliationRoutes } from './books.routes.ts'
import { receiptRoutes } from './receipts.routes.ts'
import { settlementRoutes } from './settlements.routes.ts'
import { duesReportRoutes } from '../reports/dues.routes.ts'
import { classSheetRoutes } from '../reports/class-sheets/class-sheets.routes.ts'
import { demandRoutes } from '../reports/demand/demand.routes.ts'
import { reportMailRoutes } from '../reports/mailing/mailing.routes.ts'
import { registerRoutes } from '../reports/register.routes.ts'
import { tallyRoutes } from '../reports/tally/tally.routes.ts'

/** What came in, where it is, what is still owed, and all of it as files. */
export function moneyRoutes(app: FastifyInstance, ctx: FlexContext): void {
  registerRoutes(app, ctx)
  settlementRoutes(app, ctx)
  // What has to be answered at the provider by when is answered there.
  addList(app, ctx, { url: '/money/disputes', list: disputeList })
  reconciliationRoutes(app, ctx)
  duesReportRoutes(app, ctx)
  demandRoutes(app, ctx)
  classSheetRoutes(app, ctx)
  reportMailRoutes(app, ctx)
  receiptRoutes(app, ctx)
  ledgerRoutes(app, ctx)
  tallyRoutes(app, ctx)
}
