import type { FastifyInstance } from 'fastify'
import type { CredGround } from '../cred/cred-ground.ts'
import { operatorHealthRoutes, type Watched } from './operator-health.routes.ts'
import { operatorHolidayRoutes } from './operator-holidays.routes.ts'
import { operatorInstituteRoutes } from './operator-institutes.routes.ts'
import { operatorJobRoutes } from './operator-jobs.routes.ts'

/** The installation and every institute on it, for whoever looks after them. */
export function operatorRoutes(app: FastifyInstance, ground: CredGround, watched: Watched): void {
  operatorInstituteRoutes(app, ground)
  operatorHolidayRoutes(app, ground)
  operatorJobRoutes(app, ground, watched.installation.jobs)
  operatorHealthRoutes(app, ground, watched)
}
