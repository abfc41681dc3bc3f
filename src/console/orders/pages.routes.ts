import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { created, ok, page as listOf } from '../../http/envelope.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { newPageInput, pageParams } from '../../payment-pages/page.input.ts'
import {
  createdPageOutput,
  namedPageOutput,
  toNamedPageJson,
  toPageJson,
} from '../../payment-pages/page.output.ts'
import {
  createPage,
  getPage,
  listPages,
  type CreatedPage,
  type PageFile,
} from '../../payment-pages/pages.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { changePage, type ChangedPage } from './pages.service.ts'
import { listPagesQuery, pageChangeInput } from './page.input.ts'
import { drawQr } from './qr.ts'
import { MONEY_HANDLERS } from './orders.rules.ts'

const PAGES = '/payment-pages'

/** Public pages: the same services as the ERP's API. What was paid on one is listed among the orders. */
export function pageRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addReads(app, ctx)
  addWrites(app, ctx)
}

function view(file: PageFile, institute: Institute): unknown {
  const branch = institute.branches.find(one => one.collectorCode === file.page.collectorCode)
  return toNamedPageJson(file, branch?.name ?? file.page.collectorCode)
}

function addReads(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleRead(app, ctx, {
    url: PAGES,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListPages',
      summary: 'List payment pages',
      description: 'The newest first.',
      data: Type.Array(namedPageOutput.schema),
      isList: true,
    },
    query: listPagesQuery,
    async answer({ institute, query: { status, collectorCode, cursor, limit } }) {
      const isPublished = status === undefined ? undefined : status === 'published'
      const filter = { isPublished, collectorCode }
      const { rows, nextCursor } = await listPages(ctx, institute, filter, { cursor, limit })
      return listOf(
        rows.map(file => view(file, institute)),
        nextCursor,
      )
    },
  })
  addConsoleRead(app, ctx, {
    url: `${PAGES}/:page_id`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetPage',
      summary: 'Read a payment page',
      description: 'What it says, what it asks, how many have paid.',
      data: namedPageOutput.schema,
    },
    params: pageParams,
    answer: async ({ institute, params }) =>
      ok(view(await getPage(ctx, institute, params.pageId), institute)),
  })
  addConsoleFile(app, ctx, {
    url: `${PAGES}/:page_id/qr`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetPageQr',
      summary: 'Draw the QR code of a payment page',
      description: 'For a poster or a circular.',
    },
    params: pageParams,
    mediaType: 'image/svg+xml',
    async answer({ institute, params }) {
      const { url } = await getPage(ctx, institute, params.pageId)
      return { body: await drawQr(url) }
    },
  })
}

function addWrites(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: PAGES,
    roles: MONEY_HANDLERS,
    docs: {
      operationId: 'consoleCreatePage',
      summary: 'Create a payment page',
      description: 'The same as by the API, by a person.',
      data: createdPageOutput.schema,
      creates: true,
    },
    body: newPageInput,
    perform: (act, { institute, body }) => createPage(ctx, act, institute, body),
    audit: ({ body }, { pageId, url }: CreatedPage) => ({
      what: 'page.created',
      about: pageId,
      after: { title: body.title, url, is_published: body.isPublished ?? true },
    }),
    toResponse: (page: CreatedPage) => created(createdPageOutput.toJson(page)),
  })
  addConsoleWrite(app, ctx, {
    method: 'PATCH',
    url: `${PAGES}/:page_id`,
    roles: MONEY_HANDLERS,
    docs: {
      operationId: 'consoleChangePage',
      summary: 'Change a payment page',
      description:
        'What is sent changes, the rest stays. Taking a page off wants a reason: nobody can pay on it from then on.',
    },
    params: pageParams,
    body: pageChangeInput,
    perform: (act, { institute, params, body: { reason, ...terms } }) =>
      changePage(ctx, act, { institute, id: params.pageId }, { terms, reason }),
    audit: ({ params, body }, { before, after }: ChangedPage) => ({
      what: 'page.changed',
      about: params.pageId,
      why: body.reason,
      before: toPageJson(before),
      after: toPageJson(after),
    }),
    toResponse: () => ok(),
  })
}
