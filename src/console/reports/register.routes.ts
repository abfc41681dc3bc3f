import type { FastifyInstance } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { one } from '../../http/reply.ts'
import { addList } from '../lists/list.routes.ts'
import { collectionQuery, collectionOutput } from './register.schemas.ts'
import { registerList } from './register.list.ts'
import * as service from './register.service.ts'
import { addReport } from './report.routes.ts'

/** What came in and went back: online, by instalment plans, at the counter and from lenders. */
export function registerRoutes(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, {
    url: '/money/payments',
    list: registerList,
    vouchers: ({ institute }) => service.registerVouchers(ctx, institute),
  })
  addReport(app, ctx, {
    url: '/money/collection',
    query: collectionQuery,
    output: one(collectionOutput),
    answer: ({ institute, query }) => service.readCollection(ctx, institute, query),
    report: ({ institute, query }) => service.collectionReport(ctx, institute, query),
  })
}
