import type { FastifyInstance } from 'fastify'
import { one } from '../../../http/reply.ts'
import type { Context } from '../../../platform/context.ts'
import { addReport } from '../report.routes.ts'
import { demandQuery, demandOutput } from './demand.schemas.ts'
import * as service from './demand.service.ts'

export function demandRoutes(app: FastifyInstance, ctx: Context): void {
  addReport(app, ctx, {
    url: '/money/demand',
    query: demandQuery,
    output: one(demandOutput),
    answer: ({ institute, query }) => service.readDemand(ctx, institute, query),
    report: ({ institute, query }) => service.demandReport(ctx, institute, query),
  })
}
