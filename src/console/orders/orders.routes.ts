import type { FastifyInstance } from 'fastify'
import { orderParams } from '../../orders/order.input.ts'
import { getOrder, cancelOrder } from '../../orders/orders.service.ts'
import type { ConsoleContext } from '../context.ts'
import { notFound } from '../../platform/errors.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { one, created } from '../../http/reply.ts'
import { addList } from '../lists/list.routes.ts'
import { linkBatchRoutes } from './link-files/link-files.routes.ts'
import { orderList } from './order.list.ts'
import { pageRoutes, drawQr } from './pages.routes.ts'
import {
  refundParams,
  orderDetailOutput,
  createInput,
  reasonInput,
  refundInput,
  sendInput,
  requestedRefundOutput,
  sentOutput,
  cancelPickedInput,
  sendPickedInput,
} from './order.schemas.ts'
import {
  checkoutUrl,
  readDetail,
  makeOrder,
  sendLink,
  type SentLink,
  cancelPicked,
  sendPicked,
} from './orders.service.ts'
import { printRefundVoucher } from '../../payments/notices/notices.service.ts'
import { findReceiptFile } from '../../payments/order-receipt.service.ts'
import { listRefunds } from '../../payments/refunds/refunds.service.ts'
import { createdOrderOutput } from '../../orders/order.output.ts'
import { totalOf, type Order } from '../../orders/orders.rules.ts'
import { sumPaise, toRupees } from '../../platform/money.ts'
import { refundAct } from '../approvals/acts.ts'
import { guarded } from '../approvals/approvals.routes.ts'
import { MONEY_HANDLERS } from './orders.rules.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { bulkOutput } from '../lists/list.schemas.ts'
import type { Bulk } from '../lists/bulk.rules.ts'

/** Orders and links, payment pages, and links made of a file. */
export async function consoleOrderRoutes(app: FastifyInstance, ctx: ConsoleContext): Promise<void> {
  addList(app, ctx, { url: '/orders', list: orderList, isActedOn: true })
  addDetailRoutes(app, ctx)
  addFileRoutes(app, ctx)
  orderActRoutes(app, ctx)
  orderBulkRoutes(app, ctx)
  pageRoutes(app, ctx)
  await linkBatchRoutes(app, ctx)
}

function addDetailRoutes(app: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleRead(app, ctx, {
    url: '/orders/:order_id',
    roles: EVERYONE,
    params: orderParams,
    output: one(orderDetailOutput, () => ctx.clock.now()),
    answer: ({ institute, params }) => readDetail(ctx, institute, params.orderId),
  })
}

function addFileRoutes(app: FastifyInstance, ctx: ConsoleContext): void {
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

/** What can be done to orders and links: the commands of the API, by a person and with a reason. */
function orderActRoutes(app: FastifyInstance, ctx: ConsoleContext): void {
  addCreateRoute(app, ctx)
  addCancelRoute(app, ctx)
  addSendRoute(app, ctx)
  addRefundRoute(app, ctx)
}

function addCreateRoute(app: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/orders',
    roles: MONEY_HANDLERS,
    output: created(createdOrderOutput),
    body: createInput,
    perform: (command, { institute, body }) => makeOrder(ctx, command, institute, body),
    audit: ({ body }, { orderId }) => ({
      what: 'order.created',
      about: orderId,
      after: {
        kind: body.kind,
        name: body.name,
        amount: toRupees(sumPaise(body.lines.map(line => line.amountPaise))),
      },
    }),
  })
}

function addCancelRoute(app: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/orders/:order_id',
    roles: MONEY_HANDLERS,
    params: orderParams,
    body: reasonInput,
    perform: (command, { institute, params }) => cancelOrder(ctx, command, { institute, id: params.orderId }),
    audit: ({ body }, order: Order) => ({
      what: 'order.cancelled',
      about: order.id,
      why: body.reason,
      before: { kind: order.kind, status: 'unpaid', amount: toRupees(totalOf(order)) },
      after: { status: 'cancelled' },
    }),
  })
}

function addSendRoute(app: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/orders/:order_id/messages',
    roles: MONEY_HANDLERS,
    output: created(sentOutput),
    params: orderParams,
    body: sendInput,
    perform: (command, { institute, params: { orderId }, body: { channels, language } }) =>
      sendLink(ctx, command, { institute, orderId }, { channels, language }),
    audit: ({ body: { language } }, { orderId, recipients }: SentLink) => ({
      what: 'order.sent',
      about: orderId,
      after: { recipients, language },
    }),
  })
}

function addRefundRoute(app: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/orders/:order_id/refunds',
    roles: MONEY_HANDLERS,
    params: orderParams,
    body: refundInput,
    ...guarded(ctx, refundAct, {
      name: 'refund',
      output: created(requestedRefundOutput),
      aboutOf: ({ orderId }: { orderId: string }) => orderId,
    }),
  })
}

/** What can be done to several orders and links at a time; each has its own entry in the audit log. */
function orderBulkRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/orders/cancellations',
    roles: MONEY_HANDLERS,
    body: cancelPickedInput,
    output: one(bulkOutput),
    perform: (command, { institute, body: { orderIds } }) =>
      cancelPicked(ctx, command, { institute, orderIds }),
    audit: ({ body }, { done }: Bulk) =>
      done.map(about => ({
        what: 'order.cancelled',
        about,
        why: body.reason,
        before: { status: 'unpaid' },
        after: { status: 'cancelled' },
      })),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/orders/messages',
    roles: MONEY_HANDLERS,
    body: sendPickedInput,
    output: one(bulkOutput),
    perform: (command, { institute, body: { orderIds, channels, language, isForced } }) =>
      sendPicked(ctx, command, { institute, orderIds }, { channels, language, isForced }),
    audit: ({ body: { channels, language } }, { done }: Bulk) =>
      done.map(about => ({ what: 'order.sent', about, after: { channels, language } })),
  })
}
