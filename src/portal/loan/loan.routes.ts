import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findLoanFile, createApplication, findNewest } from '../../loans/applications.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import type { LoanFile } from '../../loans/loans.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { findInstitute } from '../../institutes/institutes.service.ts'
import { isPageKey } from '../../loans/loan.schemas.ts'
import { isIdShaped } from '../../platform/ids.ts'
import {
  describeLoan,
  acceptFromPage,
  comeBack,
  redirectToLender,
  readPageData,
  canApply,
  canApplyAgain,
  canWithdraw,
  mostOf,
  type LoanProblem,
  type LoanPageData,
  redirectOrShowProblem,
} from './loan-page.ts'
import { languageOf, sendPage, sendWrongLink, formField } from '../layout.ts'
import { lenderFor } from '../../loans/lenders/lenders.service.ts'
import { endApplication, sendToLender } from '../../loans/lender-sync.service.ts'
import { fill } from '../../platform/languages.ts'
import { textsIn } from '../texts/texts.ts'
import { pathOfStudent } from '../sign-in/sign-in.rules.ts'
import { CHILD, frameOf, sendUnknown, withChild, type ChildVisit } from '../parents/access.ts'
import { readTypedRupees } from '../../platform/typed/amount.rules.ts'

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

const LOAN = `${CHILD}/cred`

/** The signed-in pages of a child's loan: terms and costs, applying, status, withdrawing. */
export function loanParentPages(app: FastifyInstance, ctx: LoanContext): void {
  app.get(
    LOAN,
    withChild(ctx, visit => showLoan(ctx, visit)),
  )
  app.post(
    `${LOAN}/start`,
    withChild(ctx, visit => startLoan(ctx, visit)),
  )
  app.post(
    `${LOAN}/lender`,
    withNewest(ctx, (file, { request, reply, studentId }) =>
      redirectToLender(ctx, file, { path: pathOfLoan(studentId), request, reply }),
    ),
  )
  app.post(
    `${LOAN}/accept`,
    withNewest(ctx, (file, { request, reply, studentId }) =>
      acceptFromPage(ctx, file, { path: pathOfLoan(studentId), request, reply }),
    ),
  )
  app.get(
    `${LOAN}/return`,
    withNewest(ctx, (file, { reply, studentId }) => comeBack(ctx, file, pathOfLoan(studentId), reply)),
  )
  app.get(
    `${LOAN}/withdraw`,
    withChild(ctx, visit => showConfirm(ctx, visit)),
  )
  app.post(
    `${LOAN}/withdraw`,
    withChild(ctx, visit => withdraw(ctx, visit)),
  )
  // A reload or the back button repeats a POST address as GET.
  for (const step of ['start', 'lender', 'accept'])
    app.get(
      `${LOAN}/${step}`,
      withChild(ctx, async ({ reply, studentId }) => reply.redirect(pathOfLoan(studentId), 303)),
    )
}

function pathOfLoan(studentId: string): string {
  return `${pathOfStudent(studentId)}/cred`
}

/** The child's loan; with `apply`, a new one if the last is over. */
async function loanOf(ctx: LoanContext, visit: ChildVisit): Promise<LoanPageData | null> {
  const { session, studentId, request, language } = visit
  const { institute } = session
  const file = await findNewest(ctx, institute.id, studentId)
  const asked = {
    institute,
    studentId,
    path: pathOfLoan(studentId),
    isParent: true,
    isFamily: true,
    request,
    language,
  }
  const pageData = await readPageData(ctx, { ...asked, file })
  const isAgain = (request.query as { apply?: unknown }).apply === '1' || request.method === 'POST'
  if (pageData === null || !isAgain || !canApplyAgain(pageData)) return pageData
  // The institute may have another lender by now, or none.
  const lender = await lenderFor(ctx, institute.id)
  return lender === null ? pageData : { ...pageData, file: null, lender }
}

async function showLoan(ctx: LoanContext, visit: ChildVisit): Promise<FastifyReply> {
  const { language, reply, texts, studentId } = visit
  const pageData = await loanOf(ctx, visit)
  if (pageData === null) return sendUnknown(visit)
  const { title, data } = describeLoan(pageData)
  const up = {
    url: pathOfStudent(studentId),
    text: fill(texts.student.heading, { who: pageData.studentName }),
  }
  return sendPage(reply, {
    template: 'loan',
    title,
    language,
    data: { ...frameOf(visit, ctx), ...data, up },
  })
}

/** Creates the application and redirects to the lender in one step, for exactly the amount consented to. */
async function startLoan(ctx: LoanContext, visit: ChildVisit): Promise<FastifyReply> {
  const { session, studentId, request, reply } = visit
  const path = pathOfLoan(studentId)
  const pageData = await loanOf(ctx, visit)
  // After a double click the application exists already; its page continues to the lender.
  if (pageData === null || !canApply(pageData)) return reply.redirect(path, 303)
  const wrote = formField(request, 'amount') ?? ''
  const amountPaise = readTypedRupees(wrote)
  const problem = problemOf(pageData, amountPaise, formField(request, 'consent'))
  if (problem !== null || amountPaise === null) {
    const query = new URLSearchParams({ apply: '1', problem: problem ?? 'amount', wrote: wrote.slice(0, 20) })
    return reply.redirect(`${path}?${query.toString()}#loan`, 303)
  }
  const { institute } = session
  return redirectOrShowProblem(path, reply, async () => {
    const act = { instituteId: institute.id }
    const { id: applicationId } = await createApplication(ctx, act, institute, { studentId, amountPaise })
    const returnUrl = `${ctx.publicUrl}${path}/return`
    return sendToLender(ctx, { instituteId: institute.id, applicationId }, returnUrl)
  })
}

function problemOf(
  pageData: LoanPageData,
  amountPaise: number | null,
  consent: string | undefined,
): LoanProblem | null {
  if (amountPaise === null || amountPaise === 0) return 'amount'
  if (amountPaise > mostOf(pageData)) return 'tooMuch'
  if (amountPaise < pageData.lender.limits.leastPaise) return 'tooLittle'
  return consent === 'yes' ? null : 'consent'
}

async function showConfirm(ctx: LoanContext, visit: ChildVisit): Promise<FastifyReply> {
  const { language, reply, studentId, texts } = visit
  const pageData = await loanOf(ctx, visit)
  if (pageData === null || pageData.file === null || !canWithdraw(pageData))
    return reply.redirect(pathOfLoan(studentId), 303)
  const l = textsIn(language).loan
  const about = fill(l.heading, { who: pageData.studentName })
  return sendPage(reply, {
    template: 'parents/confirm',
    title: `${l.withdrawAsk} ${about}`,
    language,
    data: {
      ...frameOf(visit, ctx),
      heading: l.withdrawAsk,
      about,
      say: fill(l.withdrawSay, { lender: pageData.lender.title }),
      form: {
        action: `${pageData.path}/withdraw`,
        button: l.withdrawYes,
        planId: pageData.file.application.id,
      },
      no: { url: pageData.path, text: texts.confirm.no },
    },
  })
}

async function withdraw(ctx: LoanContext, visit: ChildVisit): Promise<FastifyReply> {
  const { request, reply, session, studentId } = visit
  const path = pathOfLoan(studentId)
  const instituteId = session.institute.id
  const file = await findNewest(ctx, instituteId, studentId)
  const applicationId = file?.application.id
  // Withdraw only the application that was confirmed, not one created in the meantime.
  if (applicationId === undefined || applicationId !== formField(request, 'plan_id'))
    return reply.redirect(path, 303)
  return redirectOrShowProblem(path, reply, async () => {
    await endApplication(ctx, { instituteId, applicationId }, 'canceled')
    return path
  })
}

/** Handlers that need an application; without one, redirects to the page. */
function withNewest(ctx: LoanContext, handle: (file: LoanFile, visit: ChildVisit) => Promise<FastifyReply>) {
  return withChild(ctx, async visit => {
    const file = await findNewest(ctx, visit.session.institute.id, visit.studentId)
    return file === null ? visit.reply.redirect(pathOfLoan(visit.studentId), 303) : handle(file, visit)
  })
}
