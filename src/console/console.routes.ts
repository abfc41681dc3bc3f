import type { FastifyInstance } from 'fastify'
import type { ConsoleContext } from './context.ts'
import type { LoanContext } from '../loans/context.ts'
import { KEEPERS } from './console.rules.ts'
import { accountRoutes } from './team/account.routes.ts'
import { approvalRoutes } from './approvals/approvals.routes.ts'
import { auditList } from './audit/audit.list.ts'
import { developerRoutes } from './developers/developers.routes.ts'
import { flexConsoleRoutes } from './flex/flex.routes.ts'
import { counterRoutes } from './counter/counter.routes.ts'
import { familyCounterRoutes } from './counter/family.routes.ts'
import { depositRoutes, postDatedRoutes } from './counter/cheques.routes.ts'
import { homeRoutes } from './home/home.routes.ts'
import { addList, viewRoutes } from './lists/list.routes.ts'
import { lenderDeskRoutes, lenderChoiceRoutes, loanConsoleRoutes } from './loans/loans.routes.ts'
import { bankRoutes } from './money/bank/bank.routes.ts'
import { moneyRoutes } from './money/money.routes.ts'
import { consoleOrderRoutes } from './orders/orders.routes.ts'
import { reminderConsoleRoutes } from './reminders/reminders.routes.ts'
import { searchRoutes } from './search/search.routes.ts'
import {
  familyLanguageRoutes,
  familyPagesRoutes,
  paymentRulesRoutes,
  schoolRoutes,
} from './settings/school.routes.ts'
import { bharatConnectRoutes } from './settings/bharat-connect.routes.ts'
import { providerAccountRoutes } from './settings/provider-accounts.routes.ts'
import { settlementAccountRoutes } from './settings/settlement-accounts.routes.ts'
import { sessionRoutes } from './auth/session.routes.ts'
import { studentConsoleRoutes } from './students/students.routes.ts'
import { feeConsoleRoutes } from './students/fees/fees.routes.ts'
import { optionalFeeRoutes } from './students/optional/optional-fees.routes.ts'
import { heldDepositRoutes } from './students/deposits/deposits.routes.ts'
import { rosterRoutes } from './students/rosters/rosters.routes.ts'
import { rolloverConsoleRoutes } from './students/rollover/rollover.routes.ts'
import { tokenRoutes } from './tokens/tokens.routes.ts'
import { teamRoutes } from './team/team.routes.ts'

/** Every area of the console's API, one line each. */
export async function consoleRoutes(app: FastifyInstance, ctx: ConsoleContext & LoanContext): Promise<void> {
  sessionRoutes(app, ctx)
  accountRoutes(app, ctx)
  teamRoutes(app, ctx)
  tokenRoutes(app, ctx)
  paymentRulesRoutes(app, ctx)
  providerAccountRoutes(app, ctx)
  settlementAccountRoutes(app, ctx)
  bharatConnectRoutes(app, ctx)
  await schoolRoutes(app, ctx)
  familyPagesRoutes(app, ctx)
  familyLanguageRoutes(app, ctx)
  addList(app, ctx, { url: '/audit', list: auditList, roles: KEEPERS })
  approvalRoutes(app, ctx)
  homeRoutes(app, ctx)
  viewRoutes(app, ctx)
  moneyRoutes(app, ctx)
  studentConsoleRoutes(app, ctx)
  counterRoutes(app, ctx)
  familyCounterRoutes(app, ctx)
  depositRoutes(app, ctx)
  postDatedRoutes(app, ctx)
  await bankRoutes(app, ctx)
  await rolloverConsoleRoutes(app, ctx)
  await rosterRoutes(app, ctx)
  feeConsoleRoutes(app, ctx)
  heldDepositRoutes(app, ctx)
  optionalFeeRoutes(app, ctx)
  reminderConsoleRoutes(app, ctx)
  searchRoutes(app, ctx)
  flexConsoleRoutes(app, ctx)
  developerRoutes(app, ctx)
  await consoleOrderRoutes(app, ctx)
  loanConsoleRoutes(app, ctx)
  lenderChoiceRoutes(app, ctx)
  await lenderDeskRoutes(app, ctx)
}
