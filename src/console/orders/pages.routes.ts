import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { created, ok, page as listOf } from '../../http/envelope.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { toNewPage, toTerms } from '../../payment-pages/page-body.ts'
import { pageView } from '../../payment-pages/page-view.ts'
import { CreatedPageView, CreatePageBody, PageParams } from '../../payment-pages/pages.schemas.ts'
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
import * as schemas from './pages.schemas.ts'
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
  return { ...pageView(file), branch: branch?.name ?? file.page.collectorCode }
}

function addReads(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleRead(app, ctx, {
    url: PAGES,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListPages',
      summary: 'List payment pages',
      description: 'The newest first.',
      data: Type.Array(schemas.PageFileView),
      isList: true,
    },
    query: schemas.ListPagesQuery,
    async answer({ institute, query }) {
      const { status, collector_code: collectorCode, cursor, limit = 50 } = query
      const isPublished = status === undefined ? undefined : status === 'published'
      const filter = { isPublished, collectorCode, cursor }
      const { files, nextCursor } = await listPages(ctx, institute, filter, limit)
      return listOf(
        files.map(file => view(file, institute)),
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
      data: schemas.PageFileView,
    },
    params: PageParams,
    answer: async ({ institute, params }) =>
      ok(view(await getPage(ctx, institute, params.page_id), institute)),
  })
  addConsoleFile(app, ctx, {
    url: `${PAGES}/:page_id/qr`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetPageQr',
      summary: 'Draw the QR code of a payment page',
      description: 'For a poster or a circular.',
    },
    params: PageParams,
    mediaType: 'image/svg+xml',
    async answer({ institute, params }) {
      const { url } = await getPage(ctx, institute, params.page_id)
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
      data: CreatedPageView,
      creates: true,
      exampleBody: EXAMPLE,
    },
    body: CreatePageBody,
    perform: (act, { institute, body }) => createPage(ctx, act, institute, toNewPage(body)),
    audit: ({ body }, { pageId, url }: CreatedPage) => ({
      what: 'page.created',
      about: pageId,
      after: { title: body.title, url, is_published: body.is_published ?? true },
    }),
    toResponse: ({ pageId, url }) => created({ page_id: pageId, url }),
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
      exampleBody: { title: 'Admission form 2027-28' },
    },
    params: PageParams,
    body: schemas.ChangePageBody,
    perform: (act, { institute, params, body: { reason, ...body } }) =>
      changePage(ctx, act, { institute, id: params.page_id }, { terms: toTerms(body), reason }),
    audit: ({ params, body }, { before, after }: ChangedPage) => ({
      what: 'page.changed',
      about: params.page_id,
      why: body.reason,
      before: pageView(before),
      after: pageView(after),
    }),
    toResponse: () => ok(),
  })
}

const EXAMPLE = {
  title: 'Admission form 2027-28',
  details: [{ component_type: 'ADMISSION_FEE', amount: 1500 }],
  fields: [{ key: 'student_name', is_required: true }],
}
