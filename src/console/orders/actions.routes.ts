import type { FastifyInstance } from 'fastify'
import { created, ok } from '../../http/envelope.ts'
import { orderParams } from '../../orders/order.input.ts'
import { createdOrderOutput } from '../../orders/order.output.ts'
import { totalOf, type Order } from '../../orders/orders.rules.ts'
import { cancelOrder, createOrder, type CreatedOrder } from '../../orders/orders.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { requestRefund, type RequestedRefund } from '../../payments/refunds/refunds.service.ts'
import { sumPaise, toRupees } from '../../platform/money.ts'
import { addConsoleWrite } from '../auth/access.routes.ts'
import { sendLink, type Sent } from './actions.service.ts'
import { createInput, reasonInput, refundInput, sendInput } from './order.input.ts'
import { refundableAfter, requestedRefundOutput, sentOutput } from './order.output.ts'
import { MONEY_HANDLERS } from './orders.rules.ts'

/** What can be done to orders and links: the commands of the API, by a person and with a reason. */
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
      data: createdOrderOutput.schema,
      creates: true,
    },
    body: createInput,
    perform: (command, { institute, body }) => createOrder(ctx, command, institute, body),
    audit: ({ body }, { orderId }) => ({
      what: 'order.created',
      about: orderId,
      after: {
        kind: body.kind,
        name: body.name,
        amount: toRupees(sumPaise(body.lines.map(line => line.amountPaise))),
      },
    }),
    toResponse: (order: CreatedOrder) => created(createdOrderOutput.toJson(order)),
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
      data: sentOutput.schema,
      creates: true,
    },
    params: orderParams,
    body: sendInput,
    perform: (command, { institute, params: { orderId }, body: { channels, language } }) =>
      sendLink(ctx, command, { institute, orderId }, { channels: [...new Set(channels)], language }),
    audit: ({ body: { language } }, { orderId, recipients }: Sent) => ({
      what: 'order.sent',
      about: orderId,
      after: { recipients, language },
    }),
    toResponse: (sent: Sent) => created(sentOutput.toJson(sent)),
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
      description:
        'All that is left of what was paid, or a part of it, of all lines or of those named. It goes back the way it came.',
      data: requestedRefundOutput.schema,
      creates: true,
    },
    params: orderParams,
    body: refundInput,
    perform: (command, { institute, params: { orderId }, body }) =>
      requestRefund(ctx, command, { institute, orderId }, body),
    audit: ({ params, body }, refund: RequestedRefund) => ({
      what: 'order.refunded',
      about: params.orderId,
      why: body.reason,
      before: { refundable: toRupees(refund.refundableBeforePaise) },
      after: {
        refund_id: refund.id,
        amount: toRupees(refund.amountPaise),
        refundable: toRupees(refundableAfter(refund)),
      },
    }),
    toResponse: (refund: RequestedRefund) => created(requestedRefundOutput.toJson(refund)),
  })
}
