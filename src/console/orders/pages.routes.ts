import type { FastifyInstance } from 'fastify'
import {
  newPageInput,
  pageParams,
  createdPageOutput,
  namedPageOutput,
  toNamedPage,
  toPageJson,
} from '../../payment-pages/page.schemas.ts'
import {
  createPage,
  getPage,
  type CreatedPage,
  updatePage,
  type PageFile,
} from '../../payment-pages/pages.service.ts'
import { pageList } from '../../payment-pages/page.list.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { addList } from '../lists/list.routes.ts'
import { created, one } from '../../http/reply.ts'
import { pageChangeInput } from './order.schemas.ts'
import { MONEY_HANDLERS } from './orders.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { SentTerms } from '../../payment-pages/pages.rules.ts'
import { badField } from '../../platform/errors.ts'
import { innerCommand, type Command } from '../../platform/idempotency.ts'

const PAGES = '/payment-pages'

/** Public pages: the same services as the ERP's API. What was paid on one is listed among the orders. */
export function pageRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addReads(app, ctx)
  addWrites(app, ctx)
}

function addReads(app: FastifyInstance, ctx: PaymentContext): void {
  addList(app, ctx, { url: PAGES, list: pageList })
  addConsoleRead(app, ctx, {
    url: `${PAGES}/:page_id`,
    roles: EVERYONE,
    params: pageParams,
    output: one(namedPageOutput),
    answer: async ({ institute, params }) =>
      toNamedPage(await getPage(ctx, institute, params.pageId), institute.branches),
  })
  addConsoleFile(app, ctx, {
    url: `${PAGES}/:page_id/qr`,
    roles: EVERYONE,
    params: pageParams,
    mediaType: 'image/svg+xml',
    isShown: true,
    async answer({ institute, params }) {
      const { url } = await getPage(ctx, institute, params.pageId)
      return { name: `qr-${params.pageId}.svg`, content: await drawQr(url) }
    },
  })
}

function addWrites(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: PAGES,
    roles: MONEY_HANDLERS,
    output: created(createdPageOutput),
    body: newPageInput,
    perform: (act, { institute, body }) => createPage(ctx, act, institute, body),
    audit: ({ body }, { pageId, url }: CreatedPage) => ({
      what: 'page.created',
      about: pageId,
      after: { title: body.title, url, is_published: body.isPublished ?? true },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'PATCH',
    url: `${PAGES}/:page_id`,
    roles: MONEY_HANDLERS,
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
  })
}

type ChangedPage = { before: PageFile; after: PageFile }

/** Closing a page stops money, so it needs a reason. */
async function changePage(
  ctx: PaymentContext,
  command: Command<ChangedPage>,
  target: { institute: Institute; id: string },
  { terms, reason }: { terms: SentTerms; reason: string | undefined },
): Promise<ChangedPage> {
  const before = await getPage(ctx, target.institute, target.id)
  if (terms.isPublished === false && before.page.isPublished && reason === undefined)
    throw badField('reason', 'is required: nobody can pay on a page that is taken off')
  const complete = (after: PageFile): ChangedPage => ({ before, after })
  return complete(await updatePage(ctx, innerCommand(command, complete), target, terms))
}

/** The address as a QR code, to be shown on a screen or printed. */
export async function drawQr(url: string): Promise<Buffer> {
  const { toString } = await import('qrcode')
  return Buffer.from(await toString(url, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' }))
}
