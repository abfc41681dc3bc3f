import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { callerOf } from '../http/auth.ts'
import { addRead, addWrite } from '../http/endpoint.ts'
import { created, ok, page as pageOf } from '../http/envelope.ts'
import { compileReader } from '../http/reader.ts'
import { orderView } from '../orders/order-view.ts'
import { refundView } from '../payments/payment-events.ts'
import { receiptDocs, refundDocs } from '../payments/payments.docs.ts'
import type { Refund } from '../payments/payments.rules.ts'
import { receiptPdf } from '../payments/receipt-file.service.ts'
import { RefundBody, RefundView } from '../payments/refunds.schemas.ts'
import type { Till } from '../payments/till.ts'
import { notFound } from '../platform/errors.ts'
import {
  getPagePayment,
  listPagePayments,
  listPageRefunds,
  refundPagePayment,
} from './page-payments.service.ts'
import { toNewPage, toTerms } from './page-body.ts'
import { pageView } from './page-view.ts'
import * as docs from './pages.docs.ts'
import * as schemas from './pages.schemas.ts'
import { createPage, getPage, listPages, updatePage, type PageFile } from './pages.service.ts'

const PAGES = '/api/v1/integrations/pay/pages'
const PAYMENTS = `${PAGES}/:page_id/payments`

/** Pages that an institute publishes, and the payments on them. */
export function paymentPageRoutes(app: FastifyInstance, till: Till): void {
  addPageRoutes(app, till)
  addPaymentRoutes(app, till)
  addRefundRoutes(app, till)
  addReceiptRoute(app, till)
}

function addPageRoutes(app: FastifyInstance, till: Till): void {
  addWrite(app, till, {
    method: 'POST',
    url: PAGES,
    docs: docs.createDocs,
    body: schemas.CreatePageBody,
    perform: (act, { caller, body }) => createPage(till, act, caller.institute, toNewPage(body)),
    present: ({ pageId, url }) => created({ page_id: pageId, url }),
  })
  addRead(app, {
    url: PAGES,
    docs: docs.listDocs,
    query: schemas.ListPagesQuery,
    async answer({ caller, query }) {
      const { status, collector_code: collectorCode, cursor, limit = 50 } = query
      const isPublished = status === undefined ? undefined : status === 'published'
      const filter = { isPublished, collectorCode, cursor }
      const { files, nextCursor } = await listPages(till, caller.institute, filter, limit)
      return pageOf(files.map(pageView), nextCursor)
    },
  })
  addRead(app, {
    url: `${PAGES}/:page_id`,
    docs: docs.getDocs,
    params: schemas.PageParams,
    answer: async ({ caller, params }) => ok(pageView(await getPage(till, caller.institute, params.page_id))),
  })
  addWrite(app, till, {
    method: 'PATCH',
    url: `${PAGES}/:page_id`,
    docs: docs.updateDocs,
    params: schemas.PageParams,
    body: schemas.UpdatePageBody,
    perform: (act, { caller, params, body }) =>
      updatePage(till, act, { institute: caller.institute, id: params.page_id }, toTerms(body)),
    present: (file: PageFile) => ok(pageView(file)),
  })
}

function addPaymentRoutes(app: FastifyInstance, till: Till): void {
  addRead(app, {
    url: PAYMENTS,
    docs: docs.listPaymentsDocs,
    params: schemas.PageParams,
    query: schemas.ListPaymentsQuery,
    async answer({ caller, params, query }) {
      const { status, cursor, limit = 50 } = query
      const target = { institute: caller.institute, pageId: params.page_id }
      const { orders, nextCursor } = await listPagePayments(till, target, { status, cursor, limit })
      const now = till.clock.now()
      return pageOf(
        orders.map(order => orderView(order, now)),
        nextCursor,
      )
    },
  })
  addRead(app, {
    url: `${PAYMENTS}/:order_id`,
    docs: docs.getPaymentDocs,
    params: schemas.PaymentParams,
    async answer({ caller, params }) {
      const target = { institute: caller.institute, pageId: params.page_id, orderId: params.order_id }
      return ok(orderView(await getPagePayment(till, target), till.clock.now()))
    },
  })
}

function addRefundRoutes(app: FastifyInstance, till: Till): void {
  const url = `${PAYMENTS}/:order_id/refunds`
  const { request, list } = refundDocs('page', RefundView)
  addWrite(app, till, {
    method: 'POST',
    url,
    docs: request,
    params: schemas.PaymentParams,
    body: RefundBody,
    perform: (act, { caller, params, body }) =>
      refundPagePayment(
        till,
        act,
        { institute: caller.institute, pageId: params.page_id, orderId: params.order_id },
        { amountPaise: body.amount, reason: body.reason ?? null },
      ),
    present: (refund: Refund) => created(refundView(refund)),
  })
  addRead(app, {
    url,
    docs: list,
    params: schemas.PaymentParams,
    async answer({ caller, params }) {
      const target = { institute: caller.institute, pageId: params.page_id, orderId: params.order_id }
      return ok((await listPageRefunds(till, target)).map(refundView))
    },
  })
}

/** A file, not an envelope; errors wear the envelope as everywhere. */
function addReceiptRoute(app: FastifyInstance, till: Till): void {
  const readParams = compileReader(schemas.PaymentParams)
  const schema = receiptDocs('page', schemas.PaymentParams)
  app.get(`${PAYMENTS}/:order_id/receipt`, { config: { scope: 'read' }, schema }, async (request, reply) => {
    const params = readParams(request.params) as Static<typeof schemas.PaymentParams>
    const { institute } = callerOf(request)
    const target = { institute, pageId: params.page_id, orderId: params.order_id }
    const pdf = await receiptPdf(till, institute, await getPagePayment(till, target))
    if (pdf === null) throw notFound('A receipt for this payment')
    return reply.header('content-type', 'application/pdf').send(pdf)
  })
}
