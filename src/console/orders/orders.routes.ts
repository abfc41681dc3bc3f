import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { ok, page } from '../../http/envelope.ts'
import { findOrder } from '../../orders/orders.service.ts'
import { receiptPdf } from '../../payments/receipts/receipt-file.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { notFound } from '../../platform/errors.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { orderActRoutes } from './actions.routes.ts'
import { linkBatchRoutes } from './link-files/link-files.routes.ts'
import { pageRoutes } from './pages.routes.ts'
import { drawQr } from './qr.ts'
import { LISTED_KINDS, readSearch } from './orders.rules.ts'
import * as schemas from './orders.schemas.ts'
import { checkoutUrl, getRecord, listOrders, readChoices, readDetail } from './orders.service.ts'
import { rowView, storyView } from './orders-view.ts'

/** Orders and links, payment pages, and links made of a file. */
export async function consoleOrderRoutes(app: FastifyInstance, ctx: PaymentContext): Promise<void> {
  addListRoute(app, ctx)
  addDetailRoutes(app, ctx)
  addFileRoutes(app, ctx)
  orderActRoutes(app, ctx)
  pageRoutes(app, ctx)
  await linkBatchRoutes(app, ctx)
}

function addListRoute(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleRead(app, ctx, {
    url: '/orders',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListOrders',
      summary: 'List orders and links',
      description: 'Pay orders, payment links, and what payers made on pages and of dues, the newest first.',
      data: Type.Array(schemas.OrderRowView),
      isList: true,
    },
    query: schemas.ListOrdersQuery,
    async answer({ institute, query }) {
      const filter = {
        kinds: query.kind === undefined ? LISTED_KINDS : [query.kind],
        status: query.status,
        collectorCode: query.collector_code,
        createdFrom: query.created_from,
        createdBefore: query.created_to,
        pageId: query.page_id,
        studentId: query.student_id,
        search: query.q === undefined ? undefined : (readSearch(query.q) ?? undefined),
      }
      const range = { cursor: query.cursor, limit: query.limit ?? 50 }
      const { rows, nextCursor } = await listOrders(ctx, institute, filter, range)
      const now = ctx.clock.now()
      return page(
        rows.map(order => rowView(order, now)),
        nextCursor,
      )
    },
  })
}

function addDetailRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleRead(app, ctx, {
    url: '/orders/:order_id',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetOrder',
      summary: 'Read an order',
      description: 'What it is, every try to pay it, refunds, settlement, and all that happened to it.',
      data: schemas.OrderDetailView,
    },
    params: schemas.OrderParams,
    async answer({ institute, params }) {
      const story = await readDetail(ctx, institute, params.order_id)
      const url = checkoutUrl(ctx, institute, story.facts)
      return ok(storyView(story, { institute, url, now: ctx.clock.now() }))
    },
  })
  addConsoleRead(app, ctx, {
    url: '/order-choices',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetOrderChoices',
      summary: 'Read what an order can be made of',
      description: 'Branches, fees and grades, for the forms that ask for them.',
      data: schemas.ChoicesView,
    },
    async answer({ institute }) {
      const { branches, components, grades, isStrict } = await readChoices(ctx, institute)
      const named = branches.map(({ collectorCode, name }) => ({ collector_code: collectorCode, name }))
      return ok({ branches: named, components, grades, is_strict: isStrict })
    },
  })
}

function addFileRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleFile(app, ctx, {
    url: '/orders/:order_id/qr',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetOrderQr',
      summary: 'Draw the QR code of an order',
      description: 'Leads to where it is paid.',
    },
    params: schemas.OrderParams,
    mediaType: 'image/svg+xml',
    async answer({ institute, params }) {
      const url = checkoutUrl(ctx, institute, await getRecord(ctx, institute, params.order_id))
      if (url === null) throw notFound('A page where this is paid')
      return { body: await drawQr(url) }
    },
  })
  addConsoleFile(app, ctx, {
    url: '/orders/:order_id/receipt',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetOrderReceipt',
      summary: 'Get the receipt of an order',
      description: 'As the payer gets it. None while it is unpaid.',
    },
    params: schemas.OrderParams,
    mediaType: 'application/pdf',
    async answer({ institute, params }) {
      const order = await findOrder(ctx, institute, params.order_id)
      const pdf = order === null ? null : await receiptPdf(ctx, institute, order)
      if (pdf === null) throw notFound('A receipt for this order')
      return { body: pdf, saveAs: `receipt-${params.order_id}.pdf` }
    },
  })
}
