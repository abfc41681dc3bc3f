import type { FastifyInstance } from 'fastify'
import { addRead } from '../../http/endpoint.ts'
import { pageOf, page, type Reply } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { readSettlement } from './read-settlements.service.ts'
import {
  settlementItemsQuery,
  settlementParams,
  settlementDetailOutput,
  settlementOutput,
} from './settlement.schemas.ts'
import { settlementList } from './settlement.list.ts'

const SETTLEMENTS = '/api/v1/integrations/pay/settlements'
const TAG = 'Settlements'

/** What reached the institute's bank, for an ERP that books by transfer. */
export function settlementApiRoutes(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: SETTLEMENTS,
    docs: {
      operationId: 'listSettlements',
      tag: TAG,
      summary: 'List settlements',
      description:
        'What payment providers paid out to the bank, newest first, one for each UTR and branch. A large pay-out may be reported in parts: ' +
        'its sums grow until the provider has reported all of it.',
    },
    output: pageOf(settlementOutput),
    query: settlementList.query,
    answer: ({ caller, query: { cursor, limit, ...filter } }) =>
      settlementList.page(ctx, caller.institute, filter, { cursor, limit }),
  })
  addRead(app, {
    url: `${SETTLEMENTS}/:settlement_id`,
    docs: {
      operationId: 'getSettlement',
      tag: TAG,
      summary: 'Get a settlement',
      description:
        'By its id, or by the UTR that stands in the bank statement, on settled lines and in `*.settled` events. With its sums ' +
        'and each payment and refund in it: order, payment, student, instalment and component lines. Items come a page at a ' +
        'time: `limit` and `cursor` are about them. A UTR that paid out to several branches is of several settlements: then 409, and ' +
        'the message names their ids.',
      errors: [404, 409],
    },
    output: settlementReply,
    params: settlementParams,
    query: settlementItemsQuery,
    answer: ({ caller, params, query }) => readSettlement(ctx, caller.institute, params.settlementId, query),
  })
}

/** One settlement, and a page of what is in it. */
const settlementReply: Reply<Awaited<ReturnType<typeof readSettlement>>> = {
  answers: {
    200: {
      description: 'The settlement, with a page of its items.',
      data: settlementDetailOutput.schema,
      isList: true,
      example: {
        status: 'success',
        data: settlementDetailOutput.example,
        has_more: true,
        next_cursor: settlementItemsQuery.example['cursor'],
      },
    },
  },
  toSuccess: ({ settlement, nextCursor }) => page(settlementDetailOutput.toJson(settlement), nextCursor),
}
