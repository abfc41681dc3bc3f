import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { one, pageOf } from '../../http/reply.ts'
import { collectionQuery, registerFilters, registerQuery } from './register.input.ts'
import { collectionOutput, registerOutput } from './register.output.ts'
import * as service from './register.service.ts'
import { addReport } from './report.routes.ts'

/** What came in and went back: online, by instalment plans, at the counter and from lenders. */
export function registerRoutes(app: FastifyInstance, ctx: Context): void {
  addReport(app, ctx, {
    url: '/money/payments',
    query: registerQuery,
    filters: registerFilters,
    output: pageOf(registerOutput),
    answer: ({ institute, query }) => service.listRegister(ctx, institute, query),
    report: ({ institute, query }) => service.registerReport(ctx, institute, query),
    list: service.REGISTER_SORTING,
  })
  addReport(app, ctx, {
    url: '/money/collection',
    query: collectionQuery,
    filters: collectionQuery,
    output: one(collectionOutput),
    answer: ({ institute, query }) => service.readCollection(ctx, institute, query),
    report: ({ institute, query }) => service.collectionReport(ctx, institute, query),
  })
}
