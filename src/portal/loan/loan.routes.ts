import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findLoanFile } from '../../loans/applications.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import type { LoanFile } from '../../loans/loans.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { findInstitute } from '../../institutes/institutes.service.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { describeCred } from './loan-page.ts'
import { comeBack, goToLender, sceneOf } from './page-data.ts'
import { languageOf, sendPage, sendWrongLink } from '../layout.ts'

const APPLICATION = '/cred/:institute/:application_id'
const hidden = { schema: { hide: true } }

/** The page behind an application's `redirect_url`: what a loan is, on to the lender, and how it stands. */
export function credPages(app: FastifyInstance, cred: LoanContext): void {
  app.get(
    APPLICATION,
    hidden,
    withApplication(cred, (found, request, reply) => showApplication(cred, found, request, reply)),
  )
  app.post(
    `${APPLICATION}/lender`,
    hidden,
    withApplication(cred, ({ file, path }, request, reply) =>
      goToLender(cred, file, { path, request, reply }),
    ),
  )
  app.get(
    `${APPLICATION}/return`,
    hidden,
    withApplication(cred, ({ file, path }, _request, reply) => comeBack(cred, file, path, reply)),
  )
  app.get(
    `${APPLICATION}/lender`,
    hidden,
    withApplication(cred, async ({ path }, _request, reply) => reply.redirect(path, 303)),
  )
}

type Found = { institute: Institute; file: LoanFile; path: string }

async function showApplication(
  cred: LoanContext,
  { institute, file, path }: Found,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const language = languageOf(request, reply)
  const { studentId } = file.application
  const scene = await sceneOf(cred, { institute, studentId, file, path, isParent: false, request, language })
  if (scene === null) return sendWrongLink(request, reply)
  return sendPage(reply, { template: 'cred', language, ...describeCred(scene) })
}

type Handler = (found: Found, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

function withApplication(cred: LoanContext, handle: Handler) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { institute: code, application_id: id } = request.params as {
      institute: string
      application_id: string
    }
    const institute = isIdShaped(code) && isIdShaped(id) ? await findInstitute(cred, code) : null
    const file = institute === null ? null : await findLoanFile(cred, institute, id)
    if (institute === null || file === null) return sendWrongLink(request, reply)
    return handle({ institute, file, path: `/cred/${institute.code}/${id}` }, request, reply)
  }
}
