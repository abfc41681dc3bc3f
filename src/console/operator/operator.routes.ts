import type { FastifyInstance } from 'fastify'
import type { LoanContext } from '../../loans/context.ts'
import { operatorHealthRoutes, type Watched } from './health.routes.ts'
import { operatorHolidayRoutes } from './holidays.routes.ts'
import { operatorInstituteRoutes } from './institutes.routes.ts'
import { operatorJobRoutes } from './jobs.routes.ts'
import { operatorSignInRoutes } from './sign-in.routes.ts'

/** The installation and every institute on it, for the person who looks after them. */
export function operatorRoutes(app: FastifyInstance, ctx: LoanContext, watched: Watched): void {
  operatorInstituteRoutes(app, ctx)
  operatorHolidayRoutes(app, ctx)
  operatorSignInRoutes(app, ctx)
  operatorJobRoutes(app, ctx, watched.installation.jobs)
  operatorHealthRoutes(app, ctx, watched)
}
