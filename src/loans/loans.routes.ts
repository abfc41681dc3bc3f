import type { FastifyInstance } from 'fastify'
import { rawBody } from '../http/body.ts'
import { addRead, addWrite } from '../http/endpoint.ts'
import { created, JSON_TYPE, ok, page, successBody } from '../http/envelope.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { Command } from '../platform/idempotency.ts'
import { createApplication, getApplication, listApplications } from './applications.service.ts'
import type { LoanContext } from './context.ts'
import { applicationUrl, applicationView, disbursementViews, wholeApplicationView } from './loan-view.ts'
import * as docs from './loans.docs.ts'
import * as schemas from './loans.schemas.ts'
import { cancelApplication } from './lender-sync.service.ts'
import type { LenderName } from './lender-port.ts'
import type { Application } from './loans.rules.ts'
import { takeLenderCallback } from './lender-news.service.ts'

const CRED = '/api/v1/integrations/cred'

/** An application and whose it is: the address of its page needs both. */
type Owned = { application: Application; institute: Institute }

export function credRoutes(app: FastifyInstance, cred: LoanContext): void {
  addWrite(app, cred, {
    method: 'POST',
    url: `${CRED}/students/:service_student_id/applications`,
    docs: docs.createDocs,
    params: schemas.StudentParams,
    body: schemas.CreateApplicationBody,
    perform: (command: Command<Owned>, { caller: { institute }, params, body }) =>
      owned(command, institute, inner =>
        createApplication(cred, inner, institute, {
          studentId: params.service_student_id,
          amountPaise: body.amount,
        }),
      ),
    toResponse: ({ application: { id }, institute }: Owned) =>
      created({ application_id: id, redirect_url: applicationUrl(cred, institute, id) }),
  })
  addWrite(app, cred, {
    method: 'POST',
    url: `${CRED}/applications/:application_id/cancel`,
    docs: docs.cancelDocs,
    params: schemas.ApplicationParams,
    perform: (command: Command<Owned>, { caller: { institute }, params }) =>
      owned(command, institute, inner => cancelApplication(cred, inner, institute, params.application_id)),
    toResponse: ({ application, institute }: Owned) => ok(applicationView(cred, institute, application)),
  })
  addReads(app, cred)
  for (const name of cred.lenders.keys()) addCallbackRoute(app, cred, name)
}

function addReads(app: FastifyInstance, cred: LoanContext): void {
  addRead(app, {
    url: `${CRED}/students/:service_student_id/applications`,
    docs: docs.listOfStudentDocs,
    params: schemas.StudentParams,
    query: schemas.PageQuery,
    async answer({ caller: { institute }, params, query }) {
      const filter = { studentId: params.service_student_id, cursor: query.cursor }
      const found = await listApplications(cred, institute, filter, query.limit ?? 50)
      return page(
        found.applications.map(one => applicationView(cred, institute, one)),
        found.nextCursor,
      )
    },
  })
  addRead(app, {
    url: `${CRED}/applications`,
    docs: docs.listDocs,
    query: schemas.ListApplicationsQuery,
    async answer({ caller: { institute }, query }) {
      const filter = {
        status: query.status,
        collectorCode: query.collector_code,
        createdFrom: query.created_from,
        createdBefore: query.created_to,
        cursor: query.cursor,
      }
      const found = await listApplications(cred, institute, filter, query.limit ?? 50)
      return page(
        found.applications.map(one => applicationView(cred, institute, one)),
        found.nextCursor,
      )
    },
  })
  addRead(app, {
    url: `${CRED}/applications/:application_id`,
    docs: docs.getDocs,
    params: schemas.ApplicationParams,
    answer: async ({ caller: { institute }, params }) =>
      ok(wholeApplicationView(cred, institute, await getApplication(cred, institute, params.application_id))),
  })
  addRead(app, {
    url: `${CRED}/applications/:application_id/disbursements`,
    docs: docs.disbursementsDocs,
    params: schemas.ApplicationParams,
    answer: async ({ caller: { institute }, params }) =>
      ok(disbursementViews(await getApplication(cred, institute, params.application_id))),
  })
}

/** Services answer with the application; what is remembered of an command is the whole answer. */
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

/** Not an operation of the API: no key, but a signature. */
function addCallbackRoute(app: FastifyInstance, cred: LoanContext, name: LenderName): void {
  app.post(`/callbacks/lenders/${name}`, { schema: { hide: true } }, async (request, reply) => {
    const headers = request.headers as Record<string, string | undefined>
    await takeLenderCallback(cred, name, { headers, rawBody: rawBody(request) })
    return reply.header('content-type', JSON_TYPE).send(successBody(ok()))
  })
}
