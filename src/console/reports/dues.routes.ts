import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { one } from '../../http/reply.ts'
import { addList } from '../lists/list.routes.ts'
import { ageingQuery, ageingOutput } from './dues.schemas.ts'
import { defaulterList } from './dues.list.ts'
import * as service from './dues.service.ts'
import { addReport } from './report.routes.ts'

/** What active students owe by the institute's due days, and who owes it. */
export function duesReportRoutes(app: FastifyInstance, ctx: Context): void {
  addReport(app, ctx, {
    url: '/money/ageing',
    query: ageingQuery,
    output: one(ageingOutput),
    answer: ({ institute, query }) => service.readAgeing(ctx, institute, query),
    report: ({ institute, query }) => service.ageingReport(ctx, institute, query),
  })
  addList(app, ctx, { url: '/money/defaulters', list: defaulterList, isActedOn: true })
}
