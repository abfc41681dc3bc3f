import type { FastifyInstance } from 'fastify'
import { receiveFiles } from '../../../http/upload.ts'
import { problemOutput } from '../../../imports/imports.schemas.ts'
import { LINK_FILES, MEDIA_TYPES } from '../../../imports/imports.rules.ts'
import { listProblems, type Import } from '../../../imports/imports.service.ts'
import { LINK_FIELDS } from '../../../imports/kinds/links/links.rules.ts'
import {
  createLinkFile,
  getLinkFile,
  listLinks,
  startLinkFile,
  stopLinkFile,
  type MadeLink,
} from '../../../imports/link-files.service.ts'
import { readColumns, type FoundColumns } from '../../../imports/match-columns.service.ts'
import type { PaymentContext } from '../../../payments/context.ts'
import { EVERYONE } from '../../console.rules.ts'
import { addConsoleFile, addConsoleUpload } from '../../files.routes.ts'
import { addConsoleRead, addConsoleWrite } from '../../auth/access.routes.ts'
import { created, one, pageOf } from '../../../http/reply.ts'
import { reasonInput } from '../order.schemas.ts'
import { linkFileList } from '../../lists/import-file.list.ts'
import { addList } from '../../lists/list.routes.ts'
import { columnsQuery, parseColumns, parseDays, fileColumnsOutput } from '../../lists/list.schemas.ts'
import {
  batchParams,
  listProblemsQuery,
  startInput,
  uploadQuery,
  batchOutput,
  linkFileOutput,
} from './link-file.schemas.ts'
import { MONEY_HANDLERS } from '../orders.rules.ts'
import { csvText } from '../../../platform/csv.rules.ts'
import { toRupees } from '../../../platform/money.ts'

const BATCHES = '/link-batches'

/** Payment links made of a file. */
export async function linkBatchRoutes(app: FastifyInstance, ctx: PaymentContext): Promise<void> {
  await app.register(async scope => {
    receiveFiles(scope, 'links')
    addUploadRoute(scope, ctx)
  })
  addReads(app, ctx)
  addLinksRoute(app, ctx)
  addWrites(app, ctx)
}

function addUploadRoute(scope: FastifyInstance, ctx: PaymentContext): void {
  addConsoleUpload(scope, ctx, {
    url: `${BATCHES}/columns`,
    roles: MONEY_HANDLERS,
    output: one(fileColumnsOutput),
    query: columnsQuery,
    mediaTypes: MEDIA_TYPES,
    perform: (command, { institute, file }) => readColumns(ctx, command, institute, { file, kind: 'links' }),
    audit: ({ columns }: FoundColumns) => ({
      what: 'links.file_read',
      about: 'links',
      after: { columns: columns.length },
    }),
  })
  addConsoleUpload(scope, ctx, {
    url: BATCHES,
    roles: MONEY_HANDLERS,
    output: created(batchOutput),
    query: uploadQuery,
    mediaTypes: MEDIA_TYPES,
    perform: (act, { institute, query, file, who }) =>
      createLinkFile(ctx, act, institute, {
        file,
        fileName: query.name,
        createdBy: who.email,
        names: query.columns === undefined ? null : parseColumns(query.columns, LINK_FIELDS),
        days: parseDays(query.days),
      }),
    audit: (batch: Import) => ({
      what: 'links.file_sent',
      about: batch.id,
      after: { file: batch.fileName, rows: batch.totalRows, bad_rows: batch.badRows },
    }),
  })
}

function addReads(app: FastifyInstance, ctx: PaymentContext): void {
  addList(app, ctx, { url: BATCHES, list: linkFileList })
  addConsoleRead(app, ctx, {
    url: `${BATCHES}/:batch_id`,
    roles: EVERYONE,
    params: batchParams,
    output: one(linkFileOutput),
    answer: ({ institute, params }) => getLinkFile(ctx, { institute, id: params.batchId }),
  })
  addConsoleRead(app, ctx, {
    url: `${BATCHES}/:batch_id/problems`,
    roles: EVERYONE,
    output: pageOf(problemOutput),
    params: batchParams,
    query: listProblemsQuery,
    answer: ({ institute, params, query }) =>
      listProblems(ctx, institute, params.batchId, { ...query, family: LINK_FILES }),
  })
}

function addLinksRoute(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleFile(app, ctx, {
    url: `${BATCHES}/:batch_id/links`,
    roles: EVERYONE,
    params: batchParams,
    mediaType: 'text/csv',
    async answer({ institute, params }) {
      const links = await listLinks(ctx, { institute, id: params.batchId })
      const content = linksCsv(links, orderId => `${ctx.publicUrl}/pay/${institute.code}/${orderId}`)
      return { name: `links-${params.batchId}.csv`, content }
    },
  })
}

function addWrites(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${BATCHES}/:batch_id/start`,
    roles: MONEY_HANDLERS,
    params: batchParams,
    body: startInput,
    output: one(batchOutput),
    perform: (act, { institute, params, body: { channels, language } }) =>
      startLinkFile(ctx, act, { institute, id: params.batchId }, { channels, language }),
    audit: (_call, batch: Import) => ({
      what: 'links.file_started',
      about: batch.id,
      before: { state: 'checked' },
      after: { state: batch.state, file: batch.fileName, channels: batch.options?.channels ?? [] },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: `${BATCHES}/:batch_id`,
    roles: MONEY_HANDLERS,
    params: batchParams,
    body: reasonInput,
    output: one(batchOutput),
    perform: (act, { institute, params }) => stopLinkFile(ctx, act, { institute, id: params.batchId }),
    audit: ({ body }, batch: Import) => ({
      what: 'links.file_stopped',
      about: batch.id,
      why: body.reason,
      before: { state: batch.state === 'cancelled' ? 'checked' : 'running' },
      after: { state: batch.state, made: batch.appliedRows },
    }),
  })
}

const HEADINGS = [
  'row',
  'name',
  'phone',
  'email',
  'identifier',
  'student_name',
  'amount',
  'order_id',
  'link',
  'pays_dues_of',
  'made',
]

/** A file that spreadsheets open rightly; the mark at its beginning tells Excel that it is UTF-8. */
function linksCsv(links: readonly MadeLink[], urlOf: (orderId: string) => string): Buffer {
  const rows = links.map(link => [
    String(link.rowNo),
    link.name,
    link.phone,
    link.email,
    link.identifier ?? '',
    link.studentName ?? '',
    String(toRupees(link.amountPaise)),
    link.orderId,
    urlOf(link.orderId),
    link.studentId ?? '',
    link.isRepeated ? 'before' : 'now',
  ])
  const text = [HEADINGS, ...rows].map(cells => cells.map(csvText).join(',')).join('\r\n')
  return Buffer.from(`\uFEFF${text}\r\n`)
}
