import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../http/endpoint.ts'
import { created, one, pageOf } from '../http/reply.ts'
import { addUpload, receiveFiles } from '../http/upload.ts'
import type { Context } from '../platform/context.ts'
import { importRows } from './import.list.ts'
import {
  applyImportInput,
  createImportQuery,
  importParams,
  listProblemsQuery,
  importOutput,
  problemOutput,
} from './imports.schemas.ts'
import { MEDIA_TYPES } from './imports.rules.ts'
import * as service from './imports.service.ts'

const IMPORTS = '/api/v1/integrations/erp/imports'
const IMPORT = `${IMPORTS}/:import_id`
const tag = 'Imports'

export async function importRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  await app.register(async scope => {
    receiveFiles(scope, 'import')
    addCreate(scope, ctx)
  })
  addDecisions(app, ctx)
  addReads(app, ctx)
}

function addCreate(scope: FastifyInstance, ctx: Context): void {
  addUpload(scope, ctx, {
    url: IMPORTS,
    scope: 'students',
    docs: {
      operationId: 'createImport',
      tag,
      summary: 'Import a file',
      description:
        'Students, fees or payments from CSV (UTF-8) or XLSX; the body is the file itself, at most 50 MB and 200,000 rows, within ' +
        '30 seconds. The answer comes at once; a worker checks the whole file, each bad row with its reason, and then applies all rows ' +
        'or the good ones. The first row names the columns. A row of students does what Register Student does, one of fees what ' +
        'Update Fee does, one of payments what recording a direct payment does; the same file again changes nothing.',
    },
    output: created(importOutput),
    query: createImportQuery,
    mediaTypes: MEDIA_TYPES,
    perform: (command, { caller, query: { kind, mode, dryRun }, file }) =>
      service.createImport(ctx, command, caller.institute, { kind, mode, isDryRun: dryRun === 'true', file }),
  })
}

function addDecisions(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${IMPORT}/apply`,
    scope: 'students',
    docs: {
      operationId: 'applyImport',
      tag,
      summary: 'Apply a checked import',
      description:
        'For one that is checked and waits: after a dry run, or because all rows were asked for and some are bad. Within a week.',
      errors: [404],
    },
    output: one(importOutput),
    params: importParams,
    body: applyImportInput,
    perform: (command, { caller: { institute }, params, body }) =>
      service.applyImport(ctx, command, { institute, ...params }, body.mode),
  })
  addWrite(app, ctx, {
    method: 'DELETE',
    url: IMPORT,
    scope: 'students',
    docs: {
      operationId: 'cancelImport',
      tag,
      summary: 'Cancel a checked import',
      description: 'For one that is checked and waits; its rows are forgotten.',
      errors: [404],
    },
    output: one(importOutput),
    params: importParams,
    perform: (command, { caller: { institute }, params }) =>
      service.cancelImport(ctx, command, { institute, ...params }),
  })
}

function addReads(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: IMPORTS,
    docs: {
      operationId: 'listImports',
      tag,
      summary: 'List imports',
      description: 'Newest first, of the last 90 days.',
    },
    output: pageOf(importOutput),
    query: importRows.query,
    answer: ({ caller, query: { limit, cursor, ...filters } }) =>
      importRows.page(ctx, caller.institute, filters, { cursor, limit }),
  })
  addRead(app, {
    url: IMPORT,
    docs: {
      operationId: 'getImport',
      tag,
      summary: 'Get an import',
      description: 'Its state, how far it is, and how many rows are good, bad and applied.',
      errors: [404],
    },
    output: one(importOutput),
    params: importParams,
    answer: ({ caller, params }) => service.getImport(ctx, caller.institute, params.id),
  })
  addRead(app, {
    url: `${IMPORT}/problems`,
    docs: {
      operationId: 'listImportProblems',
      tag,
      summary: 'List the problems of an import',
      description:
        'In the order of the file. Every bad row is counted; at most 10 problems a row and 20,000 a file are told in words.',
      errors: [404],
    },
    output: pageOf(problemOutput),
    params: importParams,
    query: listProblemsQuery,
    answer: ({ caller, params, query }) => service.listProblems(ctx, caller.institute, params.id, query),
  })
}
