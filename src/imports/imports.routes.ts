import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../http/endpoint.ts'
import { created, ok, page } from '../http/envelope.ts'
import { addUpload, receiveFiles } from '../http/upload.ts'
import type { Context } from '../platform/context.ts'
import { importView, problemView } from './import-view.ts'
import * as docs from './imports.docs.ts'
import { MAX_FILE_BYTES } from './imports.rules.ts'
import * as schemas from './imports.schemas.ts'
import {
  applyImport,
  cancelImport,
  createImport,
  getImport,
  listImports,
  listProblems,
  type Import,
} from './imports.service.ts'

const IMPORTS = '/api/v1/integrations/erp/imports'
const MEDIA_TYPES = ['text/csv', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet']

export async function importRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  await app.register(async scope => {
    receiveFiles(scope, MAX_FILE_BYTES)
    addUpload(scope, ctx, {
      url: IMPORTS,
      docs: docs.createImportDocs,
      query: schemas.CreateImportQuery,
      mediaTypes: MEDIA_TYPES,
      maxBytes: MAX_FILE_BYTES,
      perform: (act, { caller, query, file }) =>
        createImport(ctx, act, caller.institute, {
          kind: query.kind,
          mode: query.mode ?? 'all',
          isDryRun: query.dry_run === 'true',
          file,
        }),
      toResponse: (one: Import) => created(importView(one)),
    })
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: `${IMPORTS}/:import_id/apply`,
    docs: docs.applyImportDocs,
    params: schemas.ImportParams,
    body: schemas.ApplyImportBody,
    perform: (act, { caller, params, body }) =>
      applyImport(ctx, act, { institute: caller.institute, id: params.import_id }, body.mode),
    toResponse: (one: Import) => ok(importView(one)),
  })
  addWrite(app, ctx, {
    method: 'DELETE',
    url: `${IMPORTS}/:import_id`,
    docs: docs.cancelImportDocs,
    params: schemas.ImportParams,
    perform: (act, { caller, params }) =>
      cancelImport(ctx, act, { institute: caller.institute, id: params.import_id }),
    toResponse: (one: Import) => ok(importView(one)),
  })
  addReads(app, ctx)
}

function addReads(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: IMPORTS,
    docs: docs.listImportsDocs,
    query: schemas.ListImportsQuery,
    async answer({ caller, query }) {
      const { limit = 50, cursor, ...filter } = query
      const { rows, nextCursor } = await listImports(ctx, caller.institute, filter, { cursor, limit })
      return page(rows.map(importView), nextCursor)
    },
  })
  addRead(app, {
    url: `${IMPORTS}/:import_id`,
    docs: docs.getImportDocs,
    params: schemas.ImportParams,
    answer: async ({ caller, params }) =>
      ok(importView(await getImport(ctx, caller.institute, params.import_id))),
  })
  addRead(app, {
    url: `${IMPORTS}/:import_id/problems`,
    docs: docs.listProblemsDocs,
    params: schemas.ImportParams,
    query: schemas.ListProblemsQuery,
    async answer({ caller, params, query }) {
      const { rows, nextCursor } = await listProblems(ctx, caller.institute, params.import_id, {
        cursor: query.cursor,
        limit: query.limit ?? 50,
      })
      return page(rows.map(problemView), nextCursor)
    },
  })
}
