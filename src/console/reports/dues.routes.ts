import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { one, pageOf } from '../../http/reply.ts'
import { ageingQuery, defaulterFilters, defaultersQuery } from './dues.input.ts'
import { ageingOutput, defaulterOutput } from './dues.output.ts'
import * as service from './dues.service.ts'
import { addReport } from './report.routes.ts'

/** What active students owe by the institute's due days, and who owes it. */
export function duesReportRoutes(app: FastifyInstance, ctx: Context): void {
  addReport(app, ctx, {
    url: '/money/ageing',
    query: ageingQuery,
    filters: ageingQuery,
    output: one(ageingOutput),
    answer: ({ institute, query }) => service.readAgeing(ctx, institute, query),
    report: ({ institute, query }) => service.ageingReport(ctx, institute, query),
  })
  addReport(app, ctx, {
    url: '/money/defaulters',
    query: defaultersQuery,
    filters: defaulterFilters,
    output: pageOf(defaulterOutput),
    answer: ({ institute, query }) => service.listDefaulters(ctx, institute, query),
    report: ({ institute, query }) => service.defaultersReport(ctx, institute, query),
    list: { ...service.DEFAULTER_SORTING, isActedOn: true },
  })
}
