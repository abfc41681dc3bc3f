import type { FastifyInstance } from 'fastify'
import { rawBody } from '../http/body.ts'
import { JSON_TYPE, ok, successBody } from '../http/envelope.ts'
import { orderParams } from '../orders/order.input.ts'
import type { PublicKind } from '../orders/orders.rules.ts'
import { ORDER_NAMES } from '../orders/orders.routes.ts'
import { getOrder } from '../orders/orders.service.ts'
import { takeCallback } from './callbacks.service.ts'
import type { ProviderName } from '../providers/port.ts'
import { addReceiptRoute, addRefundRoutes } from './refunds.routes.ts'
import { listRefunds, requestRefund } from './refunds/refunds.service.ts'
import { settlementApiRoutes } from './settlements/settlements.routes.ts'
import type { PaymentContext } from './context.ts'

/** Refunds and receipts of orders and links, settlements, and the address that providers post to. */
export function paymentRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addOrderRoutes(app, ctx, 'order')
  addOrderRoutes(app, ctx, 'link')
  settlementApiRoutes(app, ctx)
  for (const name of ctx.providers.keys()) addCallbackRoute(app, ctx, name)
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

const SIGNED = { schema: { hide: true }, config: { limitedBy: 'route' } } as const

/** Not an operation of the API: no key, but a signature. */
function addCallbackRoute(app: FastifyInstance, ctx: PaymentContext, name: ProviderName): void {
  app.post(`/callbacks/${name}`, SIGNED, async (request, reply) => {
    const headers = request.headers as Record<string, string | undefined>
    await app.publicLimit.countFailures(request, () =>
      takeCallback(ctx, name, { headers, rawBody: rawBody(request) }),
    )
    return reply.header('content-type', JSON_TYPE).send(successBody(ok()))
  })
}
