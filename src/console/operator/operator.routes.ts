import type { FastifyInstance } from 'fastify'
import type { CredGround } from '../../loans/context.ts'
import { operatorHealthRoutes, type Watched } from './health.routes.ts'
import { operatorHolidayRoutes } from './holidays.routes.ts'
import { operatorInstituteRoutes } from './institutes.routes.ts'
import { operatorJobRoutes } from './jobs.routes.ts'

/** The installation and every institute on it, for whoever looks after them. */
export function operatorRoutes(app: FastifyInstance, ground: CredGround, watched: Watched): void {
  operatorInstituteRoutes(app, ground)
  operatorHolidayRoutes(app, ground)
  operatorJobRoutes(app, ground, watched.installation.jobs)
  operatorHealthRoutes(app, ground, watched)
}
