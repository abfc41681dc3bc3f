import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../http/endpoint.ts'
import { created, from, one, pageOf } from '../http/reply.ts'
import { pagePaymentRows } from '../orders/order.list.ts'
import { orderOutput } from '../orders/order.output.ts'
import { addReceiptRoute, addRefundRoutes } from '../payments/refunds.routes.ts'
import type { PaymentContext } from '../payments/context.ts'
import {
  getPagePayment,
  listPagePayments,
  listPageRefunds,
  refundPagePayment,
} from './page-payments.service.ts'
import {
  newPageInput,
  pageChangeInput,
  pageParams,
  pagePaymentParams,
  createdPageOutput,
  pageOutput,
  toShownPage,
} from './page.schemas.ts'
import { pageList } from './page.list.ts'
import { createPage, getPage, updatePage } from './pages.service.ts'

const PAGES = '/api/v1/integrations/pay/pages'
const PAYMENTS = `${PAGES}/:page_id/payments`
const tag = 'Payment pages'

/** Pages that an institute publishes, and the payments on them. */
export function paymentPageRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addPageWrites(app, ctx)
  addPageReads(app, ctx)
  addPaymentRoutes(app, ctx)
  addPaidRoutes(app, ctx)
}

function addPageWrites(app: FastifyInstance, ctx: PaymentContext): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: PAGES,
    scope: 'orders',
    docs: {
      operationId: 'createPaymentPage',
      tag,
      summary: 'Create a payment page',
      description:
        'Makes a public page that anybody can pay on, any number of times: an admission form, an event, a donation. Each ' +
        'payment is an order of its own; `page.payment.debited` and `page.payment.settled` tell of it. 409 when another page has the slug.',
    },
    output: created(createdPageOutput),
    body: newPageInput,
    perform: (act, { caller, body }) => createPage(ctx, act, caller.institute, body),
  })
  addWrite(app, ctx, {
    method: 'PATCH',
    url: `${PAGES}/:page_id`,
    scope: 'orders',
    docs: {
      operationId: 'updatePaymentPage',
      tag,
      summary: 'Change, publish or unpublish a payment page',
      description:
        'Changes what is sent; `details` and `fields` are replaced whole; null or "" empties what can be empty. Who has ' +
        'filled the form in already pays what it said then. `is_published: false` stops new payments at once, also of those ' +
        'who are at the checkout; money that is on its way still arrives.',
      errors: [404],
    },
    output: from(one(pageOutput), toShownPage),
    params: pageParams,
    body: pageChangeInput,
    perform: (act, { caller: { institute }, params, body }) =>
      updatePage(ctx, act, { institute, id: params.pageId }, body),
  })
}

function addPageReads(app: FastifyInstance, ctx: PaymentContext): void {
  addRead(app, {
    url: PAGES,
    docs: {
      operationId: 'listPaymentPages',
      tag,
      summary: 'List payment pages',
      description: 'Newest first. Filters add up.',
    },
    output: pageOf(pageOutput),
    query: pageList.query,
    answer: ({ caller, query: { cursor, limit, ...filters } }) =>
      pageList.page(ctx, caller.institute, filters, { cursor, limit }),
  })
  addRead(app, {
    url: `${PAGES}/:page_id`,
    docs: {
      operationId: 'getPaymentPage',
      tag,
      summary: 'Get a payment page',
      description: 'What it asks for, whether it takes payments, and how many have paid.',
      errors: [404],
    },
    output: from(one(pageOutput), toShownPage),
    params: pageParams,
    answer: ({ caller, params }) => getPage(ctx, caller.institute, params.pageId),
  })
}

function addPaymentRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addRead(app, {
    url: PAYMENTS,
    docs: {
      operationId: 'listPagePayments',
      tag,
      summary: 'List the payments of a page',
      description:
        'The orders that payers made on it, paid and unpaid, newest first. They are not among your pay orders and links.',
      errors: [404],
    },
    output: pageOf(orderOutput, () => ctx.clock.now()),
    params: pageParams,
    query: pagePaymentRows.query,
    answer: ({ caller: { institute }, params, query: { status, cursor, limit } }) =>
      listPagePayments(ctx, { institute, ...params }, { status }, { cursor, limit }),
  })
  addRead(app, {
    url: `${PAYMENTS}/:order_id`,
    docs: {
      operationId: 'getPagePayment',
      tag,
      summary: 'Get a payment of a page',
      description: 'The order as it is now.',
      errors: [404],
    },
    output: one(orderOutput, () => ctx.clock.now()),
    params: pagePaymentParams,
    answer: ({ caller: { institute }, params }) => getPagePayment(ctx, { institute, ...params }),
  })
}

function addPaidRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  const paid = {
    tag,
    noun: 'payment on a page',
    id: 'PagePayment',
    url: `${PAYMENTS}/:order_id`,
    params: pagePaymentParams,
  } as const
  addRefundRoutes(app, ctx, {
    ...paid,
    refund: (act, { institute, params }, asked) =>
      refundPagePayment(ctx, act, { institute, ...params }, asked),
    list: (institute, params) => listPageRefunds(ctx, { institute, ...params }),
  })
  addReceiptRoute(app, ctx, {
    ...paid,
    find: (institute, params) => getPagePayment(ctx, { institute, ...params }),
  })
}
