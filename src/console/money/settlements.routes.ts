import type { FastifyInstance } from 'fastify'
import { findSettlement, readSettlement } from '../../payments/settlements/read-settlements.service.ts'
import { settlementItemsQuery, settlementParams } from '../../payments/settlements/settlement.input.ts'
import { settlementItemList, settlementList } from '../../payments/settlements/settlement.list.ts'
import { settlementDetailOutput } from '../../payments/settlements/settlement.output.ts'
import type { Context } from '../../platform/context.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { all, one } from '../../http/reply.ts'
import { EVERYONE } from '../console.rules.ts'
import { addList } from '../lists/list.routes.ts'
import { expectedOutput } from './settlement.output.ts'
import * as service from './settlements.service.ts'

const SETTLEMENTS = '/money/settlements'
const ONE = `${SETTLEMENTS}/:settlement_id`

/** What reached the bank: the API's own views, and as files; and what is on its way there. */
export function settlementRoutes(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, {
    url: SETTLEMENTS,
    list: settlementList,
    vouchers: ({ institute }) => service.readSettlementVouchers(ctx, institute),
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
  addList(app, ctx, {
    url: `${ONE}/items`,
    list: settlementItemList,
    params: settlementParams,
    async of({ institute, params }) {
      const { id, utr } = await findSettlement(ctx, institute, params.settlementId)
      return { instituteId: institute.id, id, utr }
    },
  })
}
