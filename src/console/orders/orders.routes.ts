import type { FastifyInstance } from 'fastify'
import { orderParams } from '../../orders/order.input.ts'
import { getOrder } from '../../orders/orders.service.ts'
import type { FlexContext } from '../../flex/context.ts'
import { notFound } from '../../platform/errors.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { one } from '../../http/reply.ts'
import { orderActRoutes, orderBulkRoutes } from './actions.routes.ts'
import { addList } from '../lists/list.routes.ts'
import { linkBatchRoutes } from './link-files/link-files.routes.ts'
import { orderList } from './order.list.ts'
import { pageRoutes } from './pages.routes.ts'
import { drawQr } from './qr.ts'
import { refundParams, orderDetailOutput } from './order.schemas.ts'
import { checkoutUrl, readDetail } from './orders.service.ts'
import { printRefundVoucher } from '../../payments/notices/notices.service.ts'
import { findReceiptFile } from '../../payments/order-receipt.service.ts'
import { listRefunds } from '../../payments/refunds/refunds.service.ts'

/** Orders and links, payment pages, and links made of a file. */
export async function consoleOrderRoutes(app: FastifyInstance, ctx: FlexContext): Promise<void> {
  addList(app, ctx, { url: '/orders', list: orderList, isActedOn: true })
  addDetailRoutes(app, ctx)
  addFileRoutes(app, ctx)
  orderActRoutes(app, ctx)
  orderBulkRoutes(app, ctx)
  pageRoutes(app, ctx)
  await linkBatchRoutes(app, ctx)
}

function addDetailRoutes(app: FastifyInstance, ctx: FlexContext): void {
  addConsoleRead(app, ctx, {
    url: '/orders/:order_id',
    roles: EVERYONE,
    params: orderParams,
    output: one(orderDetailOutput, () => ctx.clock.now()),
    answer: ({ institute, params }) => readDetail(ctx, institute, params.orderId),
  })
}

function addFileRoutes(app: FastifyInstance, ctx: FlexContext): void {
  addConsoleFile(app, ctx, {
    url: '/orders/:order_id/qr',
    roles: EVERYONE,
    params: orderParams,
    mediaType: 'image/svg+xml',
    isShown: true,
    async answer({ institute, params }) {
      const url = checkoutUrl(ctx, institute, await getOrder(ctx, institute, undefined, params.orderId))
      if (url === null) throw notFound('A page where this is paid')
      return { name: `qr-${params.orderId}.svg`, content: await drawQr(url) }
    },
  })
  addConsoleFile(app, ctx, {
    url: '/orders/:order_id/receipt',
    roles: EVERYONE,
    params: orderParams,
    mediaType: 'application/pdf',
    async answer({ institute, params }) {
      const { orderId } = params
      const file = await findReceiptFile(ctx, institute, await getOrder(ctx, institute, undefined, orderId))
      if (file === null) throw notFound('A receipt for this order')
      return { name: `receipt-${orderId}.pdf`, content: await file.read() }
    },
  })
  addConsoleFile(app, ctx, {
    url: '/orders/:order_id/refunds/:refund_id/voucher',
    roles: EVERYONE,
    params: refundParams,
    mediaType: 'application/pdf',
    async answer({ institute, params: { orderId, refundId } }) {
      const refunds = await listRefunds(ctx, institute.id, orderId)
      const isOfOrder = refunds.some(({ id }) => id === refundId)
      const content = isOfOrder ? await printRefundVoucher(ctx, institute, refundId) : null
      if (content === null) throw notFound('A voucher of this refund')
      return { name: `refund-${refundId}.pdf`, content }
    },
  })
}
