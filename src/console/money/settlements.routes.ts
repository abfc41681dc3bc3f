import type { FastifyInstance } from 'fastify'
import { query } from '../../http/wire/input.ts'
import { listSettlementItems, readSettlement } from '../../payments/settlements/read-settlements.service.ts'
import {
  listSettlementsQuery,
  settlementFilters,
  settlementItemsQuery,
  settlementParams,
} from '../../payments/settlements/settlement.input.ts'
import { settlementDetailOutput, settlementItemOutput } from '../../payments/settlements/settlement.output.ts'
import type { Context } from '../../platform/context.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { all, one, pageOf } from '../../http/reply.ts'
import { EVERYONE } from '../console.rules.ts'
import { addReport } from '../reports/report.routes.ts'
import { expectedOutput, namedSettlementOutput } from './settlement.output.ts'
import * as service from './settlements.service.ts'

const SETTLEMENTS = '/money/settlements'
const ONE = `${SETTLEMENTS}/:settlement_id`

/** What reached the bank: the API's own views, and as files; and what is on its way there. */
export function settlementRoutes(app: FastifyInstance, ctx: Context): void {
  addReport(app, ctx, {
    url: SETTLEMENTS,
    query: listSettlementsQuery,
    filters: query(settlementFilters),
    output: pageOf(namedSettlementOutput),
    answer: ({ institute, query: { cursor, limit, ...filter } }) =>
      service.listNamedSettlements(ctx, institute, filter, { cursor, limit }),
    report: ({ institute, query: filter }) => service.settlementsReport(ctx, institute, filter),
    list: {
      ...service.SETTLEMENT_SORTING,
      toRows: (rows, { institute }) => service.withNames(ctx, institute, rows),
    },
  })
  addConsoleRead(app, ctx, {
    url: '/money/expected',
    roles: EVERYONE,
    output: all(expectedOutput),
    answer: ({ institute }) => service.listExpected(ctx, institute),
  })
  addConsoleRead(app, ctx, {
    url: ONE,
    roles: EVERYONE,
    params: settlementParams,
    query: settlementItemsQuery,
    output: one(settlementDetailOutput),
    async answer({ institute, params, query: range }) {
      const { settlement } = await readSettlement(ctx, institute, params.settlementId, range)
      return settlement
    },
  })
  addReport(app, ctx, {
    url: `${ONE}/items`,
    exportUrl: `${ONE}/export`,
    params: settlementParams,
    query: settlementItemsQuery,
    filters: query({}),
    output: pageOf(settlementItemOutput, () => undefined),
    answer: ({ institute, params, query: range }) =>
      listSettlementItems(ctx, institute, params.settlementId, range),
    report: ({ institute, params }) => service.settlementReport(ctx, institute, params.settlementId),
  })
}
