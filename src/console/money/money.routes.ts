import type { FastifyInstance } from 'fastify'
import type { Till } from '../../payments/context.ts'
import { ledgerRoutes, reconciliationRoutes } from './books.routes.ts'
import { receiptRoutes } from './receipts.routes.ts'
import { settlementRoutes } from './settlements.routes.ts'
import { duesReportRoutes } from '../reports/dues.routes.ts'
import { registerRoutes } from '../reports/register.routes.ts'
import { tallyRoutes } from '../reports/tally/tally.routes.ts'

/** What came in, where it is, what is still owed, and all of it as files. */
export function moneyRoutes(app: FastifyInstance, till: Till): void {
  registerRoutes(app, till)
  settlementRoutes(app, till)
  reconciliationRoutes(app, till)
  duesReportRoutes(app, till)
  receiptRoutes(app, till)
  ledgerRoutes(app, till)
  tallyRoutes(app, till)
}
