import type { FastifyInstance } from 'fastify'
import { returnedChequeOutput } from '../../../banking/cheques/cheque.schemas.ts'
import { bounceFromLine, listReturned } from '../../../banking/statements/returned-cheques.service.ts'
import {
  listCandidates,
  listMissing,
  markAsOther,
  matchAgain,
  matchLine,
  recordFromLine,
  undoDecision,
  type MatchedLine,
} from '../../../banking/statements/decide.service.ts'
import { bankLineList } from '../../../banking/statements/bank-line.list.ts'
import {
  bounceLineInput,
  columnsIn,
  lineParams,
  matchInput,
  missingQuery,
  paymentInput,
  reasonInput,
  statementQuery,
  addedStatementOutput,
  bankStatusOutput,
  expectedOutput,
  matchedAgainOutput,
  statementPreviewOutput,
} from '../../../banking/statements/statement.schemas.ts'
import {
  addStatement,
  previewStatement,
  readBankStatus,
  type AddedStatement,
  type SentStatement,
  type StatementPreview,
} from '../../../banking/statements/statements.service.ts'
import { all, created, from, one } from '../../../http/reply.ts'
import { receiveFiles } from '../../../http/upload.ts'
import type { Context } from '../../../platform/context.ts'
import { toRupees } from '../../../platform/money.ts'
import { MEDIA_TYPES } from '../../../imports/imports.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../../auth/access.routes.ts'
import { EVERYONE } from '../../console.rules.ts'
import { addConsoleUpload } from '../../files.routes.ts'
import { addList } from '../../lists/list.routes.ts'
import { readNamedStudents } from '../../students/actions.service.ts'
import { studentList } from '../../students/student.list.ts'
import { FINANCE_ROLES } from '../../students/students.rules.ts'

const LINE = '/bank/lines/:line_id'
const UPLOADS = [...MEDIA_TYPES, 'text/plain', 'application/octet-stream']

/** Statements of the institute's bank accounts, and what their lines are. */
export async function bankRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  await app.register(async scope => {
    receiveFiles(scope, 'statement')
    addUploads(scope, ctx)
  })
  addReads(app, ctx)
  addMatching(app, ctx)
  addDecisions(app, ctx)
}

function addUploads(scope: FastifyInstance, ctx: Context): void {
  addConsoleUpload(scope, ctx, {
    url: '/bank/statement-previews',
    roles: FINANCE_ROLES,
    query: statementQuery,
    mediaTypes: UPLOADS,
    output: one(statementPreviewOutput),
    perform: (command, { query, file }) => previewStatement(ctx, command, { ...sentIn(query), file }),
    audit: ({ lineCount, format }: StatementPreview) => ({
      what: 'bank_statement.read',
      about: 'bank',
      after: { format, lines: lineCount },
    }),
  })
  addConsoleUpload(scope, ctx, {
    url: '/bank/statements',
    roles: FINANCE_ROLES,
    query: statementQuery,
    mediaTypes: UPLOADS,
    output: created(addedStatementOutput),
    perform: (command, { query, file, who }) =>
      addStatement(ctx, command, { ...sentIn(query), file, by: who.email }),
    audit: ({ id, fileName, newLineCount, matched }: AddedStatement) => ({
      what: 'bank_statement.added',
      about: id,
      after: { file: fileName, new_lines: newLineCount, matched },
    }),
  })
}

function sentIn(query: ReturnType<(typeof statementQuery)['read']>): Omit<SentStatement, 'file'> {
  const { accountId, name = 'statement', similar } = query
  return { accountId, fileName: name, columns: columnsIn(query), isSimilarTaken: similar === 'add' }
}

function addReads(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/bank/status',
    roles: EVERYONE,
    output: all(bankStatusOutput),
    answer: ({ institute }) => readBankStatus(ctx, institute),
  })
  addList(app, ctx, { url: '/bank/lines', list: bankLineList })
  addConsoleRead(app, ctx, {
    url: `${LINE}/candidates`,
    roles: EVERYONE,
    params: lineParams,
    output: all(expectedOutput),
    answer: ({ institute, params }) => listCandidates(ctx, institute, params.lineId),
  })
  addConsoleRead(app, ctx, {
    url: `${LINE}/students`,
    roles: EVERYONE,
    params: lineParams,
    output: all(studentList.output),
    answer: ({ institute, params }) => readNamedStudents(ctx, institute, params.lineId),
  })
  addConsoleRead(app, ctx, {
    url: `${LINE}/returned-cheques`,
    roles: EVERYONE,
    params: lineParams,
    output: all(returnedChequeOutput),
    answer: ({ institute, params }) => listReturned(ctx, institute, params.lineId),
  })
  addConsoleRead(app, ctx, {
    url: '/bank/missing',
    roles: EVERYONE,
    query: missingQuery,
    output: all(expectedOutput),
    answer: ({ institute, query }) => listMissing(ctx, institute, query),
  })
}

const after = ({ day, amountPaise, matches, reason }: MatchedLine) => ({
  day,
  amount: toRupees(amountPaise),
  ...(matches.length === 0 ? {} : { matched: matches.map(match => match.label) }),
  ...(reason === null ? {} : { other: reason }),
})

function addMatching(app: FastifyInstance, ctx: Context): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/bank/match',
    roles: FINANCE_ROLES,
    output: from(one(matchedAgainOutput), (count: number) => ({ count })),
    perform: command => matchAgain(ctx, command),
    audit: (_call, count: number) =>
      count === 0 ? null : { what: 'bank_lines.matched', about: 'bank', after: { lines: count } },
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${LINE}/match`,
    roles: FINANCE_ROLES,
    params: lineParams,
    body: matchInput,
    output: one(bankLineList.output),
    perform: (command, { who, params, body }) =>
      matchLine(ctx, command, { ...params, ...body, by: who.email }),
    audit: ({ params }, line: MatchedLine) => ({
      what: 'bank_line.matched',
      about: params.lineId,
      after: after(line),
    }),
  })
}

function addDecisions(app: FastifyInstance, ctx: Context): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${LINE}/payment`,
    roles: FINANCE_ROLES,
    params: lineParams,
    body: paymentInput,
    output: one(bankLineList.output),
    perform: (command, { institute, who, params, body }) =>
      recordFromLine(ctx, command, institute, { ...params, ...body, by: who.email }),
    audit: ({ body }, line: MatchedLine) => ({
      what: 'payment.recorded_from_statement',
      about: body.studentId,
      after: after(line),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${LINE}/bounce`,
    roles: FINANCE_ROLES,
    params: lineParams,
    body: bounceLineInput,
    output: one(bankLineList.output),
    perform: (command, { institute, who, params, body }) =>
      bounceFromLine(ctx, command, institute, { ...params, ...body, by: who.email }),
    audit: ({ body }, line: MatchedLine) => ({
      what: 'cheque.bounced_by_statement',
      about: body.paymentId,
      why: body.reason,
      after: after(line),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${LINE}/other`,
    roles: FINANCE_ROLES,
    params: lineParams,
    body: reasonInput,
    output: one(bankLineList.output),
    perform: (command, { who, params, body }) =>
      markAsOther(ctx, command, { ...params, ...body, by: who.email }),
    audit: ({ params, body }, line: MatchedLine) => ({
      what: 'bank_line.marked_as_other',
      about: params.lineId,
      why: body.reason,
      after: after(line),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${LINE}/undo`,
    roles: FINANCE_ROLES,
    params: lineParams,
    body: reasonInput,
    output: one(bankLineList.output),
    perform: (command, { institute, who, params, body }) =>
      undoDecision(ctx, command, institute, { ...params, ...body, by: who.email }),
    audit: ({ params, body }, line: MatchedLine) => ({
      what: 'bank_line.undone',
      about: params.lineId,
      why: body.reason,
      after: after(line),
    }),
  })
}
