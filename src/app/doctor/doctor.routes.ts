import type { FastifyInstance } from 'fastify'
import { addOperatorRead } from '../../console/auth/access.routes.ts'
import { all } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import type { Finding } from './doctor.rules.ts'
import { findingOutput } from './doctor.output.ts'

export type Examine = () => Promise<Finding[]>

/** What `bursar doctor` says, for the operator in the console. It calls other hosts, so requests at the same time share one look. */
export function doctorRoutes(app: FastifyInstance, ctx: Context, examine: Examine): void {
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
