import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../http/endpoint.ts'
import { created, one, pageOf } from '../http/reply.ts'
import type { EndpointDocs } from '../http/openapi/operation.ts'
import type { Context } from '../platform/context.ts'
import { createdOrderOutput, linkOutput, orderOutput } from './order.output.ts'
import { ORDER_URLS, orderInput, orderParams } from './order.input.ts'
import { linkRows, payOrderRows } from './order.list.ts'
import type { PublicKind } from './orders.rules.ts'
import { cancelOrder, createOrder, getOrder, type OrderChecks } from './orders.service.ts'

/** Pay orders and payment links: one noun with two addresses, so one set of routes registered twice. */
export function orderRoutes(app: FastifyInstance, ctx: Context, refuse: OrderChecks): void {
  addWrites(app, ctx, 'order', refuse)
  addWrites(app, ctx, 'link', refuse)
  addReads(app, ctx, 'order')
  addReads(app, ctx, 'link')
}

type Names = Pick<EndpointDocs, 'tag'> & { url: string; noun: string; id: string }

export const ORDER_NAMES: Record<PublicKind, Names> = {
  order: {
    url: ORDER_URLS.order,
    tag: 'Pay orders',
    noun: 'pay order',
    id: 'PayOrder',
  },
  link: {
    url: ORDER_URLS.link,
    tag: 'Payment links',
    noun: 'payment link',
    id: 'PaymentLink',
  },
}

function addWrites(app: FastifyInstance, ctx: Context, kind: PublicKind, refuse: OrderChecks): void {
  const { url, tag, noun, id } = ORDER_NAMES[kind]
  addWrite(app, ctx, {
    method: 'POST',
    url,
    scope: 'orders',
    docs: {
      operationId: `create${id}`,
      tag,
      summary: `Create a ${noun}`,
      description: `Makes a ${noun} and answers with the address to send the payer's browser to.`,
    },
    output: created(createdOrderOutput),
    body: orderInput,
    takesKeyFirst: true,
    perform: (act, { caller, body }) => createOrder(ctx, act, caller.institute, { kind, ...body }, refuse),
  })
  addWrite(app, ctx, {
    method: 'DELETE',
    url: `${url}/:order_id`,
    scope: 'orders',
    docs: {
      operationId: kind === 'link' ? 'cancelPaymentLink' : 'closePayOrder',
      tag,
      summary: kind === 'link' ? 'Cancel a payment link' : 'Close a pay order',
      description:
        kind === 'link'
          ? 'No payment can start on it any more. On a paid, expired or cancelled link: 409.'
          : 'No payment can start on it any more; it goes on reading `unpaid`, with `closed_at`. On a paid or closed one, and on one of kind `instalment`, `downpayment`, `page` or `loan`: 409.',
      errors: [404],
    },
    params: orderParams,
    perform: (act, { caller, params }) =>
      cancelOrder(ctx, act, { institute: caller.institute, address: kind, id: params.orderId }),
  })
}

function addReads(app: FastifyInstance, ctx: Context, kind: PublicKind): void {
  const { url, tag, noun, id } = ORDER_NAMES[kind]
  const output = kind === 'link' ? linkOutput : orderOutput
  addRead(app, {
    url,
    docs: {
      operationId: `list${id}s`,
      tag,
      summary: `List ${noun}s`,
      description:
        kind === 'link'
          ? 'Newest first. Filters add up.'
          : 'Newest first. Filters add up. Without `kind` only those that you made: orders that Bursar made itself, for dues, ' +
            'instalments, down payments, loans and public pages, are left out, and each `kind` lists its own. Payment links have a list of their own.',
    },
    output: pageOf(output, () => ctx.clock.now()),
    query: kind === 'order' ? payOrderRows.query : linkRows.query,
    answer({ caller: { institute }, query: { cursor, limit, ...filters } }) {
      const rows = kind === 'order' ? payOrderRows : linkRows
      return rows.page(ctx, { institute, kind, ...filters }, filters, { cursor, limit })
    },
  })
  addRead(app, {
    url: `${url}/:order_id`,
    docs: {
      operationId: `get${id}`,
      tag,
      summary: `Get a ${noun}`,
      description:
        kind === 'link'
          ? 'Its current state: read it after checkout, callback or webhook.'
          : 'Its current state: read it after checkout, callback or webhook. Also of an order that Bursar made itself, for a ' +
            "student's dues, an instalment, a down payment, a loan or a public page: `kind` says which. The id of a payment link is 404 here.",
      errors: [404],
    },
    output: one(output, () => ctx.clock.now()),
    params: orderParams,
    answer: ({ caller, params }) => getOrder(ctx, caller.institute, kind, params.orderId),
  })
}
