import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { pageOf } from '../../http/reply.ts'
import { KEEPERS } from '../console.rules.ts'
import { auditQuery } from './audit.input.ts'
import { auditOutput } from './audit.output.ts'
import { listAudit } from './audit.service.ts'

export function auditRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/audit',
    roles: KEEPERS,
    query: auditQuery,
    output: pageOf(auditOutput),
    answer: ({ institute, query }) => listAudit(ctx, institute.id, query),
  })
}
