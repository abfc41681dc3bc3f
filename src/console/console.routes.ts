import type { FastifyInstance } from 'fastify'
import type { FlexGround } from '../flex/flex-ground.ts'
import { accountRoutes } from './account.routes.ts'
import { auditRoutes } from './audit.routes.ts'
import { developerRoutes } from './developers.routes.ts'
import { flexConsoleRoutes } from './flex.routes.ts'
import { homeRoutes } from './home.routes.ts'
import { moneyRoutes } from './money.routes.ts'
import { consoleOrderRoutes } from './orders.routes.ts'
import { searchRoutes } from './search.routes.ts'
import { sessionRoutes } from './session.routes.ts'
import { studentConsoleRoutes } from './students.routes.ts'
import { teamRoutes } from './team.routes.ts'

/** Every area of the console's API, one line each. */
export async function consoleRoutes(app: FastifyInstance, ground: FlexGround): Promise<void> {
  sessionRoutes(app, ground)
  accountRoutes(app, ground)
  teamRoutes(app, ground)
  auditRoutes(app, ground)
  homeRoutes(app, ground)
  moneyRoutes(app, ground)
  studentConsoleRoutes(app, ground)
  searchRoutes(app, ground)
  flexConsoleRoutes(app, ground)
  developerRoutes(app, ground)
  await consoleOrderRoutes(app, ground)
}
