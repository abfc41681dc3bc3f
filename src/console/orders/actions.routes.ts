import type { FastifyInstance } from 'fastify'
import { createdOrderOutput } from '../../orders/order.output.ts'
import { orderParams } from '../../orders/order.input.ts'
import { totalOf, type Order } from '../../orders/orders.rules.ts'
import { cancelOrder } from '../../orders/orders.service.ts'
import type { FlexContext } from '../../flex/context.ts'
import { sumPaise, toRupees } from '../../platform/money.ts'
import { refundAct } from '../approvals/acts.ts'
import { guarded } from '../approvals/guarded.routes.ts'
import { addConsoleWrite } from '../auth/access.routes.ts'
import { created, one } from '../../http/reply.ts'
import { makeOrder } from './create.service.ts'
import { sendLink, type SentLink, cancelPicked, sendPicked } from './actions.service.ts'
import {
  createInput,
  reasonInput,
  refundInput,
  sendInput,
  requestedRefundOutput,
  sentOutput,
  cancelPickedInput,
  sendPickedInput,
} from './order.schemas.ts'
import { MONEY_HANDLERS } from './orders.rules.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { bulkOutput } from '../lists/list.schemas.ts'
import type { Bulk } from '../lists/bulk.rules.ts'

/** What can be done to orders and links: the commands of the API, by a person and with a reason. */
export function orderActRoutes(app: FastifyInstance, ctx: FlexContext): void {
  addCreateRoute(app, ctx)
  addCancelRoute(app, ctx)
  addSendRoute(app, ctx)
  addRefundRoute(app, ctx)
}

function addCreateRoute(app: FastifyInstance, ctx: FlexContext): void {
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

function addCancelRoute(app: FastifyInstance, ctx: FlexContext): void {
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

function addSendRoute(app: FastifyInstance, ctx: FlexContext): void {
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

function addRefundRoute(app: FastifyInstance, ctx: FlexContext): void {
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
export function orderBulkRoutes(app: FastifyInstance, ctx: PaymentContext): void {
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
