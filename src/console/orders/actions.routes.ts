import type { FastifyInstance } from 'fastify'
import { created, ok } from '../../http/envelope.ts'
import { createOrder, type CreatedOrder } from '../../orders/orders.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { sumPaise, toRupees } from '../../platform/money.ts'
import { addConsoleWrite } from '../auth/access.routes.ts'
import {
  cancelAny,
  refundAny,
  sendLink,
  type Cancelled,
  type Refunded,
  type Sent,
} from './actions.service.ts'
import { MONEY_HANDLERS } from './orders.rules.ts'
import * as schemas from './orders.schemas.ts'

/** What can be done to orders and links. */
export function orderActRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addCreateRoute(app, ctx)
  addCancelRoute(app, ctx)
  addSendRoute(app, ctx)
  addRefundRoute(app, ctx)
}

function addCreateRoute(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/orders',
    roles: MONEY_HANDLERS,
    docs: {
      operationId: 'consoleCreateOrder',
      summary: 'Create a link or an order',
      description: 'The same as by the API, by a person.',
      data: schemas.CreatedView,
      creates: true,
    },
    body: schemas.createInput,
    perform: (act, { institute, body }) => createOrder(ctx, act, institute, body),
    audit: ({ body }, { orderId }) => ({
      what: 'order.created',
      about: orderId,
      after: {
        kind: body.kind,
        name: body.name,
        amount: toRupees(sumPaise(body.lines.map(line => line.amountPaise))),
      },
    }),
    toResponse: ({ orderId, redirectUrl }: CreatedOrder) => created({ order_id: orderId, url: redirectUrl }),
  })
}

function addCancelRoute(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/orders/:order_id',
    roles: MONEY_HANDLERS,
    docs: {
      operationId: 'consoleCancelOrder',
      summary: 'Cancel a link or close an order',
      description: 'Nobody can start to pay it any more. A payment on its way still counts.',
    },
    params: schemas.OrderParams,
    body: schemas.ReasonBody,
    perform: (act, { institute, params }) => cancelAny(ctx, act, { institute, orderId: params.order_id }),
    audit: ({ body }, { orderId, kind, amountPaise }: Cancelled) => ({
      what: 'order.cancelled',
      about: orderId,
      why: body.reason,
      before: { kind, status: 'unpaid', amount: toRupees(amountPaise) },
      after: { status: 'cancelled' },
    }),
    toResponse: () => ok(),
  })
}

function addSendRoute(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/orders/:order_id/messages',
    roles: MONEY_HANDLERS,
    docs: {
      operationId: 'consoleSendOrder',
      summary: 'Send a link to its payer',
      description: 'By e-mail, SMS or both, in English or Hindi. At most six messages about one order a day.',
      data: schemas.SentView,
      creates: true,
    },
    params: schemas.OrderParams,
    body: schemas.SendBody,
    perform: (act, { institute, params, body }) =>
      sendLink(
        ctx,
        act,
        { institute, orderId: params.order_id },
        { channels: [...new Set(body.channels)], language: body.language ?? 'en' },
      ),
    audit: ({ body }, { orderId, recipients }: Sent) => ({
      what: 'order.sent',
      about: orderId,
      after: { recipients, language: body.language ?? 'en' },
    }),
    toResponse: ({ recipients }) => created({ recipients }),
  })
}

function addRefundRoute(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/orders/:order_id/refunds',
    roles: MONEY_HANDLERS,
    docs: {
      operationId: 'consoleRefundOrder',
      summary: 'Give money back',
      description: 'All that is left of what was paid, or a part of it. It goes back the way it came.',
      data: schemas.RefundedView,
      creates: true,
    },
    params: schemas.OrderParams,
    body: schemas.RefundBody,
    perform: (act, { institute, params, body }) =>
      refundAny(
        ctx,
        act,
        { institute, orderId: params.order_id },
        { amountPaise: body.amount, reason: body.reason },
      ),
    audit: ({ params, body }, { refund, before, after }: Refunded) => ({
      what: 'order.refunded',
      about: params.order_id,
      why: body.reason,
      before: { refundable: toRupees(before) },
      after: { refund_id: refund.id, amount: toRupees(refund.amountPaise), refundable: toRupees(after) },
    }),
    toResponse: ({ refund, after }) =>
      created({
        refund_id: refund.id,
        amount: toRupees(refund.amountPaise),
        refundable: toRupees(after),
      }),
  })
}
