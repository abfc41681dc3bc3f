import type { FastifyInstance } from 'fastify'
import { rawBody } from '../http/body.ts'
import { addRead, addWrite } from '../http/endpoint.ts'
import { created, JSON_TYPE, ok, page, successBody } from '../http/envelope.ts'
import { answer, answerAll, answerPage } from '../http/wire/answers.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { Page } from '../platform/db/list.ts'
import type { Command } from '../platform/idempotency.ts'
import { studentParams } from '../students/student.input.ts'
import { createApplication, getApplication, listApplications } from './applications.service.ts'
import type { LoanContext } from './context.ts'
import {
  applicationInput,
  applicationParams,
  listApplicationsQuery,
  LOAN_ID,
  pageQuery,
} from './loan.input.ts'
import {
  applicationOutput,
  createdApplicationOutput,
  disbursementOutput,
  toDisbursementsJson,
  toWholeJson,
  wholeApplicationOutput,
} from './loan.output.ts'
import { cancelApplication } from './lender-sync.service.ts'
import type { LenderName } from './lender-port.ts'
import type { Application } from './loans.rules.ts'
import { takeLenderCallback } from './lender-updates.service.ts'

const LOANS_URL = '/api/v1/integrations/cred'

/** The URL of an application's page needs the institute too. */
type Owned = { application: Application; institute: Institute }

export function loanRoutes(app: FastifyInstance, ctx: LoanContext): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${LOANS_URL}/students/:service_student_id/applications`,
    scope: 'students',
    docs: {
      operationId: 'createApplication',
      tag: 'Cred',
      summary: 'Start a loan application',
      description:
        'For what the student owes, or a part of it. Send the parent to `redirect_url`: the page says what a loan is and leads on ' +
        'to the lender, which hears nothing of the family before the parent goes on. A student has one application at a time: 409 ' +
        'while another is not over, and `data.application_id` names it; 409 too when nothing is outstanding or the student is dropped.',
      errors: [404],
      answers: { 201: answer('Started.', createdApplicationOutput) },
    },
    params: studentParams,
    body: applicationInput,
    perform: (command: Command<Owned>, { caller: { institute }, params, body }) =>
      owned(command, institute, inner => createApplication(ctx, inner, institute, { ...params, ...body })),
    toResponse: ({ application, institute }: Owned) =>
      created(createdApplicationOutput.toJson(application, { ctx, institute })),
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: `${LOANS_URL}/applications/:application_id/cancel`,
    scope: 'students',
    docs: {
      operationId: 'cancelApplication',
      tag: 'Cred',
      summary: 'Cancel a loan application',
      description:
        'Until the agreement is signed; the lender is notified, and the student can have a new one. 409 when it is signed or over.',
      errors: [404],
      answers: { 200: answer('Canceled.', applicationOutput) },
    },
    params: applicationParams,
    perform: (command: Command<Owned>, { caller: { institute }, params }) =>
      owned(command, institute, inner => cancelApplication(ctx, inner, institute, params.applicationId)),
    toResponse: ({ application, institute }: Owned) =>
      ok(applicationOutput.toJson(application, { ctx, institute })),
  })
  addLists(app, ctx)
  addReads(app, ctx)
  for (const name of ctx.lenders.keys()) addCallbackRoute(app, ctx, name)
}

function addLists(app: FastifyInstance, ctx: LoanContext): void {
  const answers = { 200: answerPage(applicationOutput, LOAN_ID) }
  const toPage = ({ rows, nextCursor }: Page<Application>, institute: Institute) =>
    page(
      rows.map(one => applicationOutput.toJson(one, { ctx, institute })),
      nextCursor,
    )
  addRead(app, {
    url: `${LOANS_URL}/students/:service_student_id/applications`,
    docs: {
      operationId: 'listStudentApplications',
      tag: 'Cred',
      summary: "List a student's applications",
      description: 'Newest first.',
      errors: [404],
      answers,
    },
    params: studentParams,
    query: pageQuery,
    answer: async ({ caller: { institute }, params, query }) =>
      toPage(await listApplications(ctx, institute, params, query), institute),
  })
  addRead(app, {
    url: `${LOANS_URL}/applications`,
    docs: {
      operationId: 'listApplications',
      tag: 'Cred',
      summary: 'List loan applications',
      description: 'Newest first.',
      answers,
    },
    query: listApplicationsQuery,
    answer: async ({ caller: { institute }, query: { cursor, limit, ...filter } }) =>
      toPage(await listApplications(ctx, institute, filter, { cursor, limit }), institute),
  })
}

function addReads(app: FastifyInstance, ctx: LoanContext): void {
  addRead(app, {
    url: `${LOANS_URL}/applications/:application_id`,
    docs: {
      operationId: 'getApplication',
      tag: 'Cred',
      summary: 'Get a loan application',
      description: 'With the tranches of the loan and the EMIs that the borrower has paid to the lender.',
      errors: [404],
      answers: { 200: answer('The application.', wholeApplicationOutput) },
    },
    params: applicationParams,
    answer: async ({ caller: { institute }, params }) =>
      ok(toWholeJson(await getApplication(ctx, institute, params.applicationId), { ctx, institute })),
  })
  addRead(app, {
    url: `${LOANS_URL}/applications/:application_id/disbursements`,
    docs: {
      operationId: 'listDisbursements',
      tag: 'Cred',
      summary: 'List the disbursements of a loan',
      description:
        'The tranches, planned and made, in the order of their dates. One is disbursed when its money reached the institute, with ' +
        "the settlement's UTR. Empty before the agreement is signed.",
      errors: [404],
      answers: { 200: answerAll('The tranches.', disbursementOutput) },
    },
    params: applicationParams,
    answer: async ({ caller: { institute }, params }) =>
      ok(toDisbursementsJson(await getApplication(ctx, institute, params.applicationId))),
  })
}

/** Services return the application; the idempotency record needs the institute too, for the full response. */
async function owned(
  { instituteId, idempotency }: Command<Owned>,
  institute: Institute,
  perform: (command: Command<Application>) => Promise<Application>,
): Promise<Owned> {
  const inner = idempotency && {
    ...idempotency,
    answer: (application: Application) => idempotency.answer({ application, institute }),
  }
  return { application: await perform({ instituteId, idempotency: inner }), institute }
}

const SIGNED = { schema: { hide: true }, config: { limitedBy: 'route' } } as const

/** Authenticated by the lender's signature instead of an API key. */
function addCallbackRoute(app: FastifyInstance, ctx: LoanContext, name: LenderName): void {
  app.post(`/callbacks/lenders/${name}`, SIGNED, async (request, reply) => {
    const headers = request.headers as Record<string, string | undefined>
    await app.publicLimit.countFailures(request, () =>
      takeLenderCallback(ctx, name, { headers, rawBody: rawBody(request) }),
    )
    return reply.header('content-type', JSON_TYPE).send(successBody(ok()))
  })
}
