import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { created, ok, page } from '../../../http/envelope.ts'
import { receiveFiles } from '../../../http/upload.ts'
import { problemOutput } from '../../../imports/imports.output.ts'
import { LINK_FILES, MEDIA_TYPES } from '../../../imports/imports.rules.ts'
import { getImport, listImports, listProblems, type Import } from '../../../imports/imports.service.ts'
import { LINK_FILE_BYTES } from '../../../imports/kinds/links/links.rules.ts'
import {
  createLinkFile,
  listLinks,
  startLinkFile,
  stopLinkFile,
} from '../../../imports/link-files.service.ts'
import type { PaymentContext } from '../../../payments/context.ts'
import { EVERYONE } from '../../console.rules.ts'
import { addConsoleFile, addConsoleUpload } from '../../files.routes.ts'
import { addConsoleRead, addConsoleWrite } from '../../auth/access.routes.ts'
import { reasonInput } from '../order.input.ts'
import {
  batchParams,
  listBatchesQuery,
  listProblemsQuery,
  startInput,
  uploadQuery,
} from './link-file.input.ts'
import { batchOutput } from './link-file.output.ts'
import { linksCsv } from './links-csv.ts'
import { MONEY_HANDLERS } from '../orders.rules.ts'

const BATCHES = '/link-batches'

/** Payment links made of a file. */
export async function linkBatchRoutes(app: FastifyInstance, ctx: PaymentContext): Promise<void> {
  await app.register(async scope => {
    receiveFiles(scope, LINK_FILE_BYTES)
    addUploadRoute(scope, ctx)
  })
  addReads(app, ctx)
  addLinksRoute(app, ctx)
  addWrites(app, ctx)
}

function addUploadRoute(scope: FastifyInstance, ctx: PaymentContext): void {
  addConsoleUpload(scope, ctx, {
    url: BATCHES,
    roles: MONEY_HANDLERS,
    docs: {
      operationId: 'consoleUploadLinks',
      summary: 'Send a file of links',
      description:
        'CSV or XLSX as the body, one row a link. It is checked whole and waits; nothing is made before it is started.',
      data: batchOutput.schema,
      creates: true,
    },
    query: uploadQuery,
    mediaTypes: MEDIA_TYPES,
    perform: (act, { institute, query, file, who }) =>
      createLinkFile(ctx, act, institute, { file, fileName: query.name, createdBy: who.email }),
    audit: (batch: Import) => ({
      what: 'links.file_sent',
      about: batch.id,
      after: { file: batch.fileName, rows: batch.totalRows, bad_rows: batch.badRows },
    }),
    toResponse: batch => created(batchOutput.toJson(batch)),
  })
}

function addReads(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleRead(app, ctx, {
    url: BATCHES,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListLinkFiles',
      summary: 'List files of links',
      description: 'The newest first.',
      data: Type.Array(batchOutput.schema),
      isList: true,
    },
    query: listBatchesQuery,
    async answer({ institute, query: { limit, state, cursor } }) {
      const range = { cursor, limit, family: LINK_FILES }
      const { rows, nextCursor } = await listImports(ctx, institute, { state }, range)
      return page(
        rows.map(batch => batchOutput.toJson(batch)),
        nextCursor,
      )
    },
  })
  addConsoleRead(app, ctx, {
    url: `${BATCHES}/:batch_id`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetLinkFile',
      summary: 'Read a file of links',
      description: 'How far it is.',
      data: batchOutput.schema,
    },
    params: batchParams,
    answer: async ({ institute, params }) =>
      ok(batchOutput.toJson(await getImport(ctx, institute, params.batchId, LINK_FILES))),
  })
  addConsoleRead(app, ctx, {
    url: `${BATCHES}/:batch_id/problems`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListLinkFileProblems',
      summary: 'List the bad rows of a file of links',
      description: 'In the order of the file.',
      data: Type.Array(problemOutput.schema),
      isList: true,
    },
    params: batchParams,
    query: listProblemsQuery,
    async answer({ institute, params, query: { limit, cursor } }) {
      const range = { cursor, limit, family: LINK_FILES }
      const { rows, nextCursor } = await listProblems(ctx, institute, params.batchId, range)
      return page(
        rows.map(one => problemOutput.toJson(one)),
        nextCursor,
      )
    },
  })
}

function addLinksRoute(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleFile(app, ctx, {
    url: `${BATCHES}/:batch_id/links`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetLinksOfFile',
      summary: 'Get the links of a file',
      description: 'As CSV, row by row: those made now, and those that were there before.',
    },
    params: batchParams,
    mediaType: 'text/csv',
    async answer({ institute, params }) {
      const links = await listLinks(ctx, { institute, id: params.batchId })
      const body = linksCsv(links, orderId => `${ctx.publicUrl}/pay/${institute.code}/${orderId}`)
      return { body, saveAs: `links-${params.batchId}.csv` }
    },
  })
}

function addWrites(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${BATCHES}/:batch_id/start`,
    roles: MONEY_HANDLERS,
    docs: {
      operationId: 'consoleStartLinkFile',
      summary: 'Make the links of a file',
      description:
        'Of its good rows, in the background. A row whose link was made before makes no second one.',
      data: batchOutput.schema,
    },
    params: batchParams,
    body: startInput,
    perform: (act, { institute, params, body: { channels, language } }) =>
      startLinkFile(
        ctx,
        act,
        { institute, id: params.batchId },
        { channels: [...new Set(channels)], language },
      ),
    audit: (_call, batch: Import) => ({
      what: 'links.file_started',
      about: batch.id,
      before: { state: 'checked' },
      after: { state: batch.state, file: batch.fileName, channels: batch.options?.channels ?? [] },
    }),
    toResponse: (batch: Import) => ok(batchOutput.toJson(batch)),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: `${BATCHES}/:batch_id`,
    roles: MONEY_HANDLERS,
    docs: {
      operationId: 'consoleStopLinkFile',
      summary: 'Call off or stop a file of links',
      description: 'Links that were made stay; the others are not made.',
      data: batchOutput.schema,
    },
    params: batchParams,
    body: reasonInput,
    perform: (act, { institute, params }) => stopLinkFile(ctx, act, { institute, id: params.batchId }),
    audit: ({ body }, batch: Import) => ({
      what: 'links.file_stopped',
      about: batch.id,
      why: body.reason,
      before: { state: batch.state === 'cancelled' ? 'checked' : 'running' },
      after: { state: batch.state, made: batch.appliedRows },
    }),
    toResponse: (batch: Import) => ok(batchOutput.toJson(batch)),
  })
}
