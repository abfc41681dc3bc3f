import type { FastifyInstance, FastifyReply } from 'fastify'
import { createApplication, findNewest } from '../../loans/applications.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { lenderFor } from '../../loans/lenders/lenders.service.ts'
import { endApplication, sendToLender } from '../../loans/lender-sync.service.ts'
import type { LoanFile } from '../../loans/loans.rules.ts'
import {
  canApply,
  canApplyAgain,
  canWithdraw,
  describeLoan,
  mostOf,
  type LoanProblem,
  type LoanPageData,
  acceptFromPage,
  comeBack,
  redirectToLender,
  readPageData,
  redirectOrShowProblem,
} from './loan-page.ts'
import { fill } from '../../platform/languages.ts'
import { textsIn } from '../texts/texts.ts'
import { pathOfStudent } from '../sign-in/sign-in.rules.ts'
import { formField, sendPage } from '../layout.ts'
import { CHILD, frameOf, sendUnknown, withChild, type ChildVisit } from '../parents/access.ts'
import { readAmount } from '../parents/choose-page.ts'

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
  const amountPaise = readAmount(wrote)
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
