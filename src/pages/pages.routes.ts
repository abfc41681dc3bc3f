import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../http/endpoint.ts'
import { created, ok, page as pageOf } from '../http/envelope.ts'
import { toOrderJson } from '../orders/order.output.ts'
import { addReceiptRoute, addRefundRoutes } from '../payments/refunds.routes.ts'
import type { Till } from '../payments/till.ts'
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
import { pagePaymentParams } from './page.input.ts'
import { createPage, getPage, listPages, updatePage, type PageFile } from './pages.service.ts'

const PAGES = '/api/v1/integrations/pay/pages'
const PAYMENTS = `${PAGES}/:page_id/payments`

/** Pages that an institute publishes, and the payments on them. */
export function paymentPageRoutes(app: FastifyInstance, till: Till): void {
  addPageRoutes(app, till)
  addPaymentRoutes(app, till)
  addPaidRoutes(app, till)
}

function addPageRoutes(app: FastifyInstance, till: Till): void {
  addWrite(app, till, {
    method: 'POST',
    url: PAGES,
    docs: docs.createDocs,
    body: schemas.CreatePageBody,
    perform: (act, { caller, body }) => createPage(till, act, caller.institute, toNewPage(body)),
    toResponse: ({ pageId, url }) => created({ page_id: pageId, url }),
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
    toResponse: (file: PageFile) => ok(pageView(file)),
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
      const { rows, nextCursor } = await listPagePayments(till, target, { status }, { cursor, limit })
      const now = till.clock.now()
      return pageOf(
        rows.map(order => toOrderJson(order, now)),
        nextCursor,
      )
    },
  })
  addRead(app, {
    url: `${PAYMENTS}/:order_id`,
    docs: docs.getPaymentDocs,
    params: pagePaymentParams,
    async answer({ caller, params }) {
      const target = { institute: caller.institute, ...params }
      return ok(toOrderJson(await getPagePayment(till, target), till.clock.now()))
    },
  })
}

function addPaidRoutes(app: FastifyInstance, till: Till): void {
  const paid = {
    tag: 'Payment pages',
    noun: 'payment on a page',
    id: 'PagePayment',
    url: `${PAYMENTS}/:order_id`,
    params: pagePaymentParams,
  } as const
  addRefundRoutes(app, till, {
    ...paid,
    refund: (act, { institute, params }, asked) =>
      refundPagePayment(till, act, { institute, ...params }, asked),
    list: (institute, params) => listPageRefunds(till, { institute, ...params }),
  })
  addReceiptRoute(app, till, {
    ...paid,
    find: (institute, params) => getPagePayment(till, { institute, ...params }),
  })
}
