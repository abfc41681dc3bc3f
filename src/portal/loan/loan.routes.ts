import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findLoanFile } from '../../loans/applications.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import type { LoanFile } from '../../loans/loans.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { findInstitute } from '../../institutes/institutes.service.ts'
import { isPageKey } from '../../loans/loan.schemas.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { describeLoan, acceptFromPage, comeBack, redirectToLender, readPageData } from './loan-page.ts'
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
    forFamily(ctx, ({ file, path }, request, reply) => redirectToLender(ctx, file, { path, request, reply })),
  )
  app.get(
    `${APPLICATION}/return`,
    withApplication(ctx, ({ file, path }, _request, reply) => comeBack(ctx, file, path, reply)),
  )
  app.post(
    `${APPLICATION}/accept`,
    forFamily(ctx, ({ file, path }, request, reply) => acceptFromPage(ctx, file, { path, request, reply })),
  )
  for (const step of ['lender', 'accept'])
    app.get(
      `${APPLICATION}/${step}`,
      withApplication(ctx, async ({ path }, _request, reply) => reply.redirect(path, 303)),
    )
}

/** `isFamily`: came by the family's own address. Others see how the loan stands and can do nothing. */
type LoanPageSubject = { institute: Institute; file: LoanFile; path: string; isFamily: boolean }

async function showApplication(
  ctx: LoanContext,
  { institute, file, path, isFamily }: LoanPageSubject,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const language = languageOf(request, reply, institute)
  const { studentId } = file.application
  const pageData = await readPageData(ctx, {
    institute,
    studentId,
    file,
    path,
    isParent: false,
    isFamily,
    request,
    language,
  })
  if (pageData === null) return sendWrongLink(request, reply)
  return sendPage(reply, { template: 'loan', language, ...describeLoan(pageData) })
}

type Handler = (found: LoanPageSubject, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

function withApplication(ctx: LoanContext, handle: Handler) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { institute: code, application_id: id } = request.params as {
      institute: string
      application_id: string
    }
    const institute = isIdShaped(code) && isIdShaped(id) ? await findInstitute(ctx, code) : null
    const file = institute === null ? null : await findLoanFile(ctx, institute, id)
    if (institute === null || file === null) return sendWrongLink(request, reply)
    const path = `/cred/${institute.code}/${id}`
    const { key } = request.query as { key?: unknown }
    const sent = typeof key === 'string' ? key : readCookie(request.headers.cookie)
    const isFamily = isPageKey(ctx.vault, id, sent)
    // The lender sends the browser back to an address without the key.
    if (isFamily && typeof key === 'string') reply.header('set-cookie', cookieOf(ctx, path, key))
    return handle({ institute, file, path, isFamily }, request, reply)
  }
}

/** An act of the family. A form of ours carries the cookie; a page of somebody else does not get it sent. */
function forFamily(ctx: LoanContext, handle: Handler) {
  return withApplication(ctx, async (found, request, reply) =>
    found.isFamily ? handle(found, request, reply) : sendWrongLink(request, reply),
  )
}

const COOKIE = 'bursar_loan'
const KEPT_S = 90 * 86_400

function cookieOf({ mode }: LoanContext, path: string, key: string): string {
  const secure = mode === 'live' ? '; Secure' : ''
  return `${COOKIE}=${key}; Path=${path}; Max-Age=${KEPT_S}; HttpOnly; SameSite=Lax${secure}`
}

function readCookie(header: string | undefined): string | undefined {
  const found = header?.split(/;\s*/).find(one => one.startsWith(`${COOKIE}=`))
  return found?.slice(COOKIE.length + 1)
}
