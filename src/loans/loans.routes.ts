import type { FastifyInstance } from 'fastify'
import { callbackBody } from '../http/body.ts'
import { addRead, addWrite } from '../http/endpoint.ts'
import { all, created, from, one, pageOf, JSON_TYPE, ok, successBody } from '../http/reply.ts'
import { forwardIfLeft } from '../institutes/forward.service.ts'
import type { Caller } from '../institutes/institutes.rules.ts'
import { studentParams } from '../students/student.input.ts'
import { createApplication, getApplication, listApplications } from './applications.service.ts'
import type { LoanContext } from './context.ts'
import {
  applicationInput,
  applicationParams,
  lenderParams,
  listApplicationsQuery,
  pageQuery,
  applicationOutput,
  createdApplicationOutput,
  disbursementOutput,
  toDisbursements,
  toWhole,
  wholeApplicationOutput,
} from './loan.schemas.ts'
import { cancelApplication } from './lender-sync.service.ts'
import { takeLenderCallback } from './lender-updates.service.ts'

const LOANS_URL = '/api/v1/integrations/cred'

export function loanRoutes(app: FastifyInstance, ctx: LoanContext): void {
  const at = ({ institute }: Caller) => ({ ctx, institute })
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
    },
    output: created(createdApplicationOutput, at),
    params: studentParams,
    body: applicationInput,
    perform: (command, { caller: { institute }, params, body }) =>
      createApplication(ctx, command, institute, { ...params, ...body }),
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
    },
    output: one(applicationOutput, at),
    params: applicationParams,
    perform: (command, { caller: { institute }, params }) =>
      cancelApplication(ctx, command, institute, params.applicationId),
  })
  addLists(app, ctx)
  addReads(app, ctx)
  addCallbackRoute(app, ctx)
}

function addLists(app: FastifyInstance, ctx: LoanContext): void {
  const output = pageOf(applicationOutput, ({ institute }: Caller) => ({ ctx, institute }))
  addRead(app, {
    url: `${LOANS_URL}/students/:service_student_id/applications`,
    docs: {
      operationId: 'listStudentApplications',
      tag: 'Cred',
      summary: "List a student's applications",
      description: 'Newest first.',
      errors: [404],
    },
    output,
    params: studentParams,
    query: pageQuery,
    answer: ({ caller: { institute }, params, query }) => listApplications(ctx, institute, params, query),
  })
  addRead(app, {
    url: `${LOANS_URL}/applications`,
    docs: {
      operationId: 'listApplications',
      tag: 'Cred',
      summary: 'List loan applications',
      description: 'Newest first.',
    },
    output,
    query: listApplicationsQuery,
    answer: ({ caller: { institute }, query: { cursor, limit, ...filter } }) =>
      listApplications(ctx, institute, filter, { cursor, limit }),
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
    },
    output: from(
      one(wholeApplicationOutput, ({ institute }: Caller) => ({ ctx, institute })),
      toWhole,
    ),
    params: applicationParams,
    answer: ({ caller: { institute }, params }) => getApplication(ctx, institute, params.applicationId),
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
    },
    output: from(all(disbursementOutput), toDisbursements),
    params: applicationParams,
    answer: ({ caller: { institute }, params }) => getApplication(ctx, institute, params.applicationId),
  })
}

const SIGNED = { config: { limitedBy: 'route' } } as const

/** Authenticated by the lender's signature instead of an API key. */
function addCallbackRoute(app: FastifyInstance, ctx: LoanContext): void {
  app.post('/callbacks/lenders/:lender', SIGNED, async (request, reply) => {
    const headers = request.headers as Record<string, string | undefined>
    await app.publicLimit.countFailures(request, () => {
      const { lender } = lenderParams.read(request.params)
      const rawBody = callbackBody(request)
      const incoming = { path: request.url, headers, rawBody, ip: request.ip }
      return takeLenderCallback(ctx, lender, { headers, rawBody }, of => forwardIfLeft(ctx, of, incoming))
    })
    return reply.header('content-type', JSON_TYPE).send(successBody(ok()))
  })
}
