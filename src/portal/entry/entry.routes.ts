import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { requireScope } from '../../http/auth.ts'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { created, ok } from '../../http/envelope.ts'
import type { ErpContext } from '../../erp/context.ts'
import * as docs from './entry.docs.ts'
import * as schemas from './entry.schemas.ts'
import { issueToken, openEntry, type AccessToken } from './entry.service.ts'

const ERP = '/api/v1/integrations/erp'
const TOKEN = `${ERP}/users/:registration_id/access_token`

/** Sign-in for ERPs: a token for a registered user, or one init call that also pulls the student. */
export function entryRoutes(app: FastifyInstance, ctx: ErpContext): void {
  addRead(app, {
    url: TOKEN,
    docs: docs.getTokenDocs,
    params: schemas.UserParams,
    async answer({ caller, params }) {
      // A read-only key must not be able to pay, pause or cancel in a parent's name.
      requireScope(caller, 'write')
      const act = { instituteId: caller.institute.id }
      return ok(tokenView(await issueToken(ctx, act, caller.institute, params.registration_id)))
    },
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: TOKEN,
    docs: docs.createTokenDocs,
    params: schemas.UserParams,
    perform: (act, { caller, params }) => issueToken(ctx, act, caller.institute, params.registration_id),
    toResponse: (token: AccessToken) => created(tokenView(token)),
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: `${ERP}/init`,
    docs: docs.initDocs,
    body: schemas.InitBody,
    perform: (act, { caller, body }) => openEntry(ctx, act, caller.institute, toAsked(body)),
    toResponse: ({ redirectUrl, expiresAt }) =>
      created({ redirect_url: redirectUrl, expires_at: expiresAt.toISOString() }),
  })
}

function tokenView({ token, expiresAt }: AccessToken): Record<string, string> {
  return { access_token: token, expires_at: expiresAt.toISOString() }
}

function toAsked({ student, options }: Static<typeof schemas.InitBody>): Parameters<typeof openEntry>[3] {
  return {
    named: {
      identifier: student.identifier,
      grade: student.grade,
      customIdentifier: student.custom_identifier,
      collectorCode: student.collector_code,
      academicYearStart: student.academic_year_start,
      academicYearEnd: student.academic_year_end,
    },
    product: options?.product_type ?? null,
    callbackUrl: options?.callback_url ?? null,
  }
}
