import type { FastifyInstance } from 'fastify'
import { rawBody } from '../http/body.ts'
import { addRead, addWrite } from '../http/endpoint.ts'
import { created, JSON_TYPE, ok, page, successBody } from '../http/envelope.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { Command } from '../platform/idempotency.ts'
import { createApplication, getApplication, listApplications } from './applications.service.ts'
import type { LoanContext } from './context.ts'
import { applicationUrl, applicationView, wholeApplicationView } from './loan-view.ts'
import { toDisbursementsJson } from './loan.output.ts'
import * as docs from './loans.docs.ts'
import * as schemas from './loans.schemas.ts'
import { cancelApplication } from './lender-sync.service.ts'
import type { LenderName } from './lender-port.ts'
import type { Application } from './loans.rules.ts'
import { takeLenderCallback } from './lender-news.service.ts'

const LOANS_URL = '/api/v1/integrations/cred'

/** The URL of an application's page needs the institute too. */
type Owned = { application: Application; institute: Institute }

export function loanRoutes(app: FastifyInstance, ctx: LoanContext): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${LOANS_URL}/students/:service_student_id/applications`,
    docs: docs.createDocs,
    params: schemas.StudentParams,
    body: schemas.CreateApplicationBody,
    perform: (command: Command<Owned>, { caller: { institute }, params, body }) =>
      owned(command, institute, inner =>
        createApplication(ctx, inner, institute, {
          studentId: params.service_student_id,
          amountPaise: body.amount,
        }),
      ),
    toResponse: ({ application: { id }, institute }: Owned) =>
      created({ application_id: id, redirect_url: applicationUrl(ctx, institute, id) }),
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: `${LOANS_URL}/applications/:application_id/cancel`,
    docs: docs.cancelDocs,
    params: schemas.ApplicationParams,
    perform: (command: Command<Owned>, { caller: { institute }, params }) =>
      owned(command, institute, inner => cancelApplication(ctx, inner, institute, params.application_id)),
    toResponse: ({ application, institute }: Owned) => ok(applicationView(ctx, institute, application)),
  })
  addReads(app, ctx)
  for (const name of ctx.lenders.keys()) addCallbackRoute(app, ctx, name)
}

function addReads(app: FastifyInstance, ctx: LoanContext): void {
  addRead(app, {
    url: `${LOANS_URL}/students/:service_student_id/applications`,
    docs: docs.listOfStudentDocs,
    params: schemas.StudentParams,
    query: schemas.PageQuery,
    async answer({ caller: { institute }, params, query }) {
      const filter = { studentId: params.service_student_id }
      const range = { cursor: query.cursor, limit: query.limit ?? 50 }
      const found = await listApplications(ctx, institute, filter, range)
      return page(
        found.rows.map(one => applicationView(ctx, institute, one)),
        found.nextCursor,
      )
    },
  })
  addRead(app, {
    url: `${LOANS_URL}/applications`,
    docs: docs.listDocs,
    query: schemas.ListApplicationsQuery,
    async answer({ caller: { institute }, query }) {
      const filter = {
        status: query.status,
        collectorCode: query.collector_code,
        createdFrom: query.created_from,
        createdBefore: query.created_to,
      }
      const range = { cursor: query.cursor, limit: query.limit ?? 50 }
      const found = await listApplications(ctx, institute, filter, range)
      return page(
        found.rows.map(one => applicationView(ctx, institute, one)),
        found.nextCursor,
      )
    },
  })
  addRead(app, {
    url: `${LOANS_URL}/applications/:application_id`,
    docs: docs.getDocs,
    params: schemas.ApplicationParams,
    answer: async ({ caller: { institute }, params }) =>
      ok(wholeApplicationView(ctx, institute, await getApplication(ctx, institute, params.application_id))),
  })
  addRead(app, {
    url: `${LOANS_URL}/applications/:application_id/disbursements`,
    docs: docs.disbursementsDocs,
    params: schemas.ApplicationParams,
    answer: async ({ caller: { institute }, params }) =>
      ok(toDisbursementsJson(await getApplication(ctx, institute, params.application_id))),
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

/** Authenticated by the lender's signature instead of an API key. */
function addCallbackRoute(app: FastifyInstance, ctx: LoanContext, name: LenderName): void {
  app.post(`/callbacks/lenders/${name}`, { schema: { hide: true } }, async (request, reply) => {
    const headers = request.headers as Record<string, string | undefined>
    await takeLenderCallback(ctx, name, { headers, rawBody: rawBody(request) })
    return reply.header('content-type', JSON_TYPE).send(successBody(ok()))
  })
}
