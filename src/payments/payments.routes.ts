import type { FastifyInstance } from 'fastify'
import { callbackBody } from '../http/body.ts'
import { JSON_TYPE, ok, successBody } from '../http/reply.ts'
import { forwardIfLeft, type Forward } from '../institutes/forward.service.ts'
import { orderParams } from '../orders/order.input.ts'
import type { PublicKind } from '../orders/orders.rules.ts'
import { ORDER_NAMES } from '../orders/orders.routes.ts'
import { getOrder } from '../orders/orders.service.ts'
import { notFound } from '../platform/errors.ts'
import { isIdShaped } from '../platform/ids.ts'
import { takeCallback } from './callbacks.service.ts'
import type { Account } from '../providers/accounts/registry.service.ts'
import { disputeApiRoutes } from './disputes/disputes.routes.ts'
import { addReceiptRoute, addRefundRoutes } from './refunds.routes.ts'
import { listRefunds, requestRefund } from './refunds/refunds.service.ts'
import { settlementApiRoutes } from './settlements/settlements.routes.ts'
import type { PaymentContext } from './context.ts'

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
