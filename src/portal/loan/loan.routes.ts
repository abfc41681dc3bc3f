import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findLoanFile } from '../../loans/applications.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import type { LoanFile } from '../../loans/loans.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { findInstitute } from '../../institutes/institutes.service.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { describeLoan } from './loan-page.ts'
import { acceptFromPage, comeBack, redirectToLender, readPageData } from './page-data.ts'
import { languageOf, sendPage, sendWrongLink } from '../layout.ts'

const APPLICATION = '/cred/:institute/:application_id'

/** The page at an application's `redirect_url`: terms, continuing to the lender, status. */
export function loanPages(app: FastifyInstance, ctx: LoanContext): void {
  app.get(
    APPLICATION,
    withApplication(ctx, (found, request, reply) => showApplication(ctx, found, request, reply)),
  )
  app.post(
    `${APPLICATION}/lender`,
    withApplication(ctx, ({ file, path }, request, reply) =>
      redirectToLender(ctx, file, { path, request, reply }),
    ),
  )
  app.get(
    `${APPLICATION}/return`,
    withApplication(ctx, ({ file, path }, _request, reply) => comeBack(ctx, file, path, reply)),
  )
  app.post(
    `${APPLICATION}/accept`,
    withApplication(ctx, ({ file, path }, request, reply) =>
      acceptFromPage(ctx, file, { path, request, reply }),
    ),
  )
  for (const step of ['lender', 'accept'])
    app.get(
      `${APPLICATION}/${step}`,
      withApplication(ctx, async ({ path }, _request, reply) => reply.redirect(path, 303)),
    )
}

type Found = { institute: Institute; file: LoanFile; path: string }

async function showApplication(
  ctx: LoanContext,
  { institute, file, path }: Found,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const language = languageOf(request, reply)
  const { studentId } = file.application
  const pageData = await readPageData(ctx, {
    institute,
    studentId,
    file,
    path,
    isParent: false,
    request,
    language,
  })
  if (pageData === null) return sendWrongLink(request, reply)
  return sendPage(reply, { template: 'loan', language, ...describeLoan(pageData) })
}

type Handler = (found: Found, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

function withApplication(ctx: LoanContext, handle: Handler) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { institute: code, application_id: id } = request.params as {
      institute: string
      application_id: string
    }
    const institute = isIdShaped(code) && isIdShaped(id) ? await findInstitute(ctx, code) : null
    const file = institute === null ? null : await findLoanFile(ctx, institute, id)
    if (institute === null || file === null) return sendWrongLink(request, reply)
    return handle({ institute, file, path: `/cred/${institute.code}/${id}` }, request, reply)
  }
}
