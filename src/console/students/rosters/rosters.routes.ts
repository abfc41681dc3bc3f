import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { created, one, pageOf } from '../../../http/reply.ts'
import { receiveFiles } from '../../../http/upload.ts'
import { MEDIA_TYPES, ROSTERS, XLSX_TYPE } from '../../../imports/imports.rules.ts'
import { cancelImport, getImport, listProblems, type Import } from '../../../imports/imports.service.ts'
import { ROSTER_FIELDS } from '../../../imports/kinds/roster/roster.rules.ts'
import { readColumns, type FoundColumns } from '../../../imports/match-columns.service.ts'
import { correctRoster, createRoster, groupProblems, readBadRows } from '../../../imports/rosters.service.ts'
import type { ConsoleContext } from '../../context.ts'
import type { Context } from '../../../platform/context.ts'
import { rosterAct } from '../../approvals/bulk-acts.ts'
import { keptOr } from '../../approvals/approval.list.ts'
import { noteOf } from '../../approvals/approvals.routes.ts'
import { Kept, performOrKeep } from '../../approvals/approvals.service.ts'
import { addConsoleRead, addConsoleWrite } from '../../auth/access.routes.ts'
import { EVERYONE } from '../../console.rules.ts'
import { addConsoleFile, addConsoleUpload } from '../../files.routes.ts'
import { rosterList } from '../../lists/import-file.list.ts'
import { addList } from '../../lists/list.routes.ts'
import { FINANCE_ROLES } from '../students.rules.ts'
import { badRowsCsv, badRowsHead } from './bad-rows-csv.ts'
import {
  correctRosterInput,
  problemsQuery,
  rosterParams,
  startRosterInput,
  uploadQuery,
  problemGroupsOutput,
  rosterOutput,
  rosterProblemOutput,
} from './roster.schemas.ts'
import { columnsQuery, parseColumns, parseDays, fileColumnsOutput } from '../../lists/list.schemas.ts'
import { makeTemplate } from './template.service.ts'

const FILES = '/student-files'
const FILE = `${FILES}/:roster_id`

/** Students from a school's own list. */
export async function rosterRoutes(app: FastifyInstance, ctx: ConsoleContext): Promise<void> {
  await app.register(async scope => {
    receiveFiles(scope, 'roster')
    addUploads(scope, ctx)
  })
  addReads(app, ctx)
  addWrites(app, ctx)
}

function addUploads(scope: FastifyInstance, ctx: Context): void {
  addConsoleUpload(scope, ctx, {
    url: `${FILES}/columns`,
    roles: FINANCE_ROLES,
    output: one(fileColumnsOutput),
    query: columnsQuery,
    mediaTypes: MEDIA_TYPES,
    perform: (command, { institute, file }) => readColumns(ctx, command, institute, { file, kind: 'roster' }),
    audit: ({ columns }: FoundColumns) => ({
      what: 'students.file_read',
      about: 'students',
      after: { columns: columns.length },
    }),
  })
  addConsoleUpload(scope, ctx, {
    url: FILES,
    roles: FINANCE_ROLES,
    output: created(rosterOutput),
    query: uploadQuery,
    mediaTypes: MEDIA_TYPES,
    perform: (command, { institute, query, file, who }) =>
      createRoster(ctx, command, institute, {
        file,
        fileName: query.name,
        createdBy: who.email,
        columns: {
          names: parseColumns(query.columns, ROSTER_FIELDS),
          defaults: {
            academic_year_start: query.academicYearStart,
            academic_year_end: query.academicYearEnd,
          },
        },
        days: parseDays(query.days),
      }),
    audit: (file: Import) => ({
      what: 'students.file_sent',
      about: file.id,
      after: { file: file.fileName, bytes: file.fileBytes },
    }),
  })
}

function addReads(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, { url: FILES, list: rosterList })
  addConsoleFile(app, ctx, {
    url: `${FILES}/template`,
    roles: FINANCE_ROLES,
    mediaType: XLSX_TYPE,
    async answer({ institute }) {
      return { name: 'students.xlsx', content: await makeTemplate(ctx, institute) }
    },
  })
  addConsoleRead(app, ctx, {
    url: FILE,
    roles: EVERYONE,
    params: rosterParams,
    output: one(rosterOutput),
    answer: ({ institute, params }) => getImport(ctx, institute, params.rosterId, ROSTERS),
  })
  addConsoleRead(app, ctx, {
    url: `${FILE}/problems`,
    roles: EVERYONE,
    params: rosterParams,
    query: problemsQuery,
    output: pageOf(rosterProblemOutput),
    answer: ({ institute, params, query }) =>
      listProblems(ctx, institute, params.rosterId, { ...query, family: ROSTERS }),
  })
  addConsoleRead(app, ctx, {
    url: `${FILE}/problem-groups`,
    roles: EVERYONE,
    params: rosterParams,
    output: one(problemGroupsOutput),
    answer: ({ institute, params }) => groupProblems(ctx, institute, params.rosterId),
  })
  addConsoleFile(app, ctx, {
    url: `${FILE}/bad-rows`,
    roles: FINANCE_ROLES,
    params: rosterParams,
    mediaType: 'text/csv',
    async answer({ institute, params }) {
      const { titles, texts } = await readBadRows(ctx, institute, params.rosterId, badRowsCsv)
      const content = Readable.from([badRowsHead(titles), ...texts])
      return { name: `rows-to-correct-${params.rosterId}.csv`, content }
    },
  })
}

function addWrites(app: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${FILE}/start`,
    roles: FINANCE_ROLES,
    params: rosterParams,
    body: startRosterInput,
    output: keptOr(one(rosterOutput)),
    perform: (command, { params, body, ...by }) =>
      performOrKeep(ctx, command, by, { name: 'student_file', about: params.rosterId, request: body }),
    audit: ({ institute, params, body }, result: Import | Kept) =>
      result instanceof Kept
        ? noteOf(result.approval)
        : rosterAct.note({ institute, about: params.rosterId }, body, result),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${FILE}/corrections`,
    roles: FINANCE_ROLES,
    params: rosterParams,
    body: correctRosterInput,
    output: one(rosterOutput),
    perform: (command, { institute, params, body }) =>
      correctRoster(
        ctx,
        command,
        { institute, id: params.rosterId },
        body.corrections.map(one => ({ ...one, rowNo: one.rowNo ?? null, summary: one.summary ?? null })),
      ),
    audit: ({ body }, file: Import) => ({
      what: 'students.file_corrected',
      about: file.id,
      after: { corrections: body.corrections.length, file: file.fileName },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: FILE,
    roles: FINANCE_ROLES,
    params: rosterParams,
    output: one(rosterOutput),
    perform: (command, { institute, params }) =>
      cancelImport(ctx, command, { institute, id: params.rosterId, family: ROSTERS }),
    audit: (_call, file: Import) => ({
      what: 'students.file_discarded',
      about: file.id,
      before: { state: 'checked' },
      after: { state: file.state, file: file.fileName },
    }),
  })
}
