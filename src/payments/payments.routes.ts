import type { FastifyInstance } from 'fastify'
import { callbackBody } from '../http/body.ts'
import { JSON_TYPE, ok, successBody, one, pageOf, page, type Reply } from '../http/reply.ts'
import { forwardIfLeft, type Forward } from '../institutes/forward.service.ts'
import { orderParams } from '../orders/order.input.ts'
import type { PublicKind } from '../orders/orders.rules.ts'
import { ORDER_NAMES } from '../orders/orders.routes.ts'
import { getOrder } from '../orders/orders.service.ts'
import { notFound } from '../platform/errors.ts'
import { isIdShaped } from '../platform/ids.ts'
import { takeCallback } from './callbacks.service.ts'
import type { Account } from '../providers/accounts/registry.service.ts'
import { addReceiptRoute, addRefundRoutes } from './refunds.routes.ts'
import { listRefunds, requestRefund } from './refunds/refunds.service.ts'
import type { PaymentContext } from './context.ts'
import { addRead } from '../http/endpoint.ts'
import type { Context } from '../platform/context.ts'
import { disputeParams, disputeOutput } from './disputes/dispute.schemas.ts'
import { disputeList, listDisputesQuery } from './disputes/dispute.list.ts'
import { getDispute } from './disputes/disputes.service.ts'
import { readSettlement } from './settlements/read-settlements.service.ts'
import {
  settlementItemsQuery,
  settlementParams,
  settlementDetailOutput,
  settlementOutput,
} from './settlements/settlement.schemas.ts'
import { settlementList } from './settlements/settlement.list.ts'

/** Refunds and receipts of orders and links, settlements, disputes, and the address that providers post to. */
export function paymentRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addOrderRoutes(app, ctx, 'order')
  addOrderRoutes(app, ctx, 'link')
  settlementApiRoutes(app, ctx)
  disputeApiRoutes(app, ctx)
  addCallbackRoutes(app, ctx)
}

function addOrderRoutes(app: FastifyInstance, ctx: PaymentContext, kind: PublicKind): void {
  const names = ORDER_NAMES[kind]
  const paid = { ...names, url: `${names.url}/:order_id`, params: orderParams }
  addRefundRoutes(app, ctx, {
    ...paid,
    refund: (act, { institute, params }, asked) =>
      requestRefund(ctx, act, { institute, address: kind, orderId: params.orderId }, asked),
    async list(institute, { orderId }) {
      await getOrder(ctx, institute, kind, orderId)
      return listRefunds(ctx, institute.id, orderId)
    },
  })
  addReceiptRoute(app, ctx, {
    ...paid,
    find: (institute, { orderId }) => getOrder(ctx, institute, kind, orderId),
  })
}

type CallbackParams = { provider: string; account_id?: string }

const SIGNED = { config: { limitedBy: 'route' } } as const

/** Not operations of the API: no key, but the signature of the account. */
function addCallbackRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  const { accounts } = ctx
  const post = (url: string, find: (params: CallbackParams) => Promise<Account | null>): void => {
    app.post(url, SIGNED, async (request, reply) => {
      const headers = request.headers as Record<string, string | undefined>
      await app.publicLimit.countFailures(request, async () => {
        const rawBody = callbackBody(request)
        const params = request.params as CallbackParams
        const { account_id: id = '' } = params
        const forward: Forward = of =>
          forwardIfLeft(ctx, of, { path: request.url, headers, rawBody, ip: request.ip })
        if (isIdShaped(id) && (await forward({ by: 'account', value: id }))) return
        const account = await find(params)
        if (account === null) throw notFound('This address')
        await takeCallback(ctx, account, { headers, rawBody }, forward)
      })
      return reply.header('content-type', JSON_TYPE).send(successBody(ok()))
    })
  }
  post('/callbacks/:provider', async ({ provider }) => accounts.accountOfInstallation(provider))
  post('/callbacks/:provider/:account_id', async ({ provider, account_id: id = '' }) =>
    isIdShaped(id) ? accounts.accountOfCallback(provider, id) : null,
  )
}

const DISPUTES = '/api/v1/integrations/pay/disputes'

/** What payers question at their banks, of a payment of any product and mode. */
function disputeApiRoutes(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: DISPUTES,
    docs: {
      operationId: 'listDisputes',
      tag: 'Refunds',
      summary: 'List disputes',
      description:
        'Payments that payers question at their banks (chargebacks), whatever their product, mode and account, newest first. Each is answered ' +
        'in the dashboard of its provider until `respond_by`. While it is open its amount is held and the payment cannot be refunded. A lost ' +
        'one is booked as money that went back: the order stays `paid` with `refunded_amount`, and what it paid is due again. A payment for ' +
        'several children has one for each of them, with the same `provider_reference` and its part of the amount.',
    },
    output: pageOf(disputeOutput),
    query: listDisputesQuery,
    answer: ({ caller, query: { cursor, limit, ...filter } }) =>
      disputeList.page(ctx, caller.institute, filter, { cursor, limit }),
  })
  addRead(app, {
    url: `${DISPUTES}/:dispute_id`,
    docs: {
      operationId: 'getDispute',
      tag: 'Refunds',
      summary: 'Get a dispute',
      description: 'One dispute, as it stands now.',
      errors: [404],
    },
    output: one(disputeOutput),
    params: disputeParams,
    answer: ({ caller, params }) => getDispute(ctx, caller.institute, params.disputeId),
  })
}

const SETTLEMENTS = '/api/v1/integrations/pay/settlements'

/** What reached the institute's bank, for an ERP that books by transfer. */
function settlementApiRoutes(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: SETTLEMENTS,
    docs: {
      operationId: 'listSettlements',
      tag: 'Settlements',
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
      tag: 'Settlements',
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
