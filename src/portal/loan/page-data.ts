import type { FastifyReply, FastifyRequest } from 'fastify'
import { withoutPlanned } from '../../dues/dues.rules.ts'
import { readDuesLeft } from '../../dues/on-the-way.service.ts'
import { formField } from '../layout.ts'
import type { LoanContext } from '../../loans/context.ts'
import { lenderFor, lenderOf } from '../../loans/lenders/lenders.service.ts'
import { acceptOffer } from '../../loans/applications.service.ts'
import { sendToLender } from '../../loans/lender-sync.service.ts'
import type { LoanFile } from '../../loans/loans.rules.ts'
import { askLender } from '../../loans/lender-updates.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { BursarError } from '../../platform/errors.ts'
import { ZERO } from '../../platform/money.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import type { LoanProblem, LoanPageData } from './loan-page.ts'

import type { Language } from '../../platform/languages.ts'

/** Shared by the public page of an application and the signed-in page of a loan. */
const PROBLEMS: readonly LoanProblem[] = ['consent', 'changed', 'away', 'amount', 'tooMuch', 'tooLittle']

const AGENT_LENGTH = 300

type PageRequest = {
  institute: Institute
  studentId: string
  file: LoanFile | null
  path: string
  isParent: boolean
  isFamily: boolean
  request: FastifyRequest
  language: Language
}

/** Null when there is no such student, or nothing to show because the institute offers no loans. */
export async function readPageData(ctx: LoanContext, asked: PageRequest): Promise<LoanPageData | null> {
  const { institute, studentId, file, request } = asked
  const student = (await readStudentContexts(ctx.db, [{ instituteId: institute.id, studentId }])).get(
    studentId,
  )
  const lender =
    file === null ? await lenderFor(ctx, institute.id) : await lenderOf(ctx, file.application.lender)
  if (student === undefined || lender === null) return null
  const dues = (await readDuesLeft(ctx, institute.id, [studentId])).get(studentId)
  const left = dues && withoutPlanned(dues)
  const { problem, wrote } = request.query as { problem?: unknown; wrote?: unknown }
  return {
    ...asked,
    collectorCode: student.student.collectorCode,
    studentName: student.student.fullname,
    isActive: student.student.status === 'active',
    owedPaise: left?.owedPaise ?? ZERO,
    isTaken: student.owed.some(line => line.amountPaise > 0) && left?.owedPaise === 0,
    lender,
    problem: PROBLEMS.find(one => one === problem),
    wrote: typeof wrote === 'string' ? wrote.slice(0, 20) : undefined,
    isSandbox: ctx.mode === 'sandbox',
  }
}

/** Redirects to the lender; the first time requires the parent's consent. */
export async function redirectToLender(
  ctx: LoanContext,
  { application }: LoanFile,
  { path, request, reply }: { path: string; request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  if (application.sentAt === null && formField(request, 'consent') !== 'yes')
    return reply.redirect(`${path}?problem=consent#agree`, 303)
  const key = { instituteId: application.instituteId, applicationId: application.id }
  return redirectOrShowProblem(path, reply, () => sendToLender(ctx, key, `${ctx.publicUrl}${path}/return`))
}

/** The borrower accepts the offer that the page showed. */
export async function acceptFromPage(
  ctx: LoanContext,
  { application }: LoanFile,
  { path, request, reply }: { path: string; request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  if (formField(request, 'consent') !== 'yes') return reply.redirect(`${path}?problem=consent#agree`, 303)
  const key = { instituteId: application.instituteId, applicationId: application.id }
  return redirectOrShowProblem(path, reply, async () => {
    const from = { ip: request.ip, agent: (request.headers['user-agent'] ?? '').slice(0, AGENT_LENGTH) }
    await acceptOffer(ctx, key, { offerRef: formField(request, 'offer') ?? '', ...from })
    return path
  })
}

/** Return from the lender. The browser may arrive before the callback, so the lender is asked for the status. */
export async function comeBack(
  ctx: LoanContext,
  { application }: LoanFile,
  path: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { instituteId, id: applicationId } = application
  // If the lender does not answer, the reconciler asks later; the page shows the last known state.
  if (application.sentAt !== null) await askLender(ctx, { instituteId, applicationId }).catch(() => {})
  return reply.redirect(path, 303)
}

/** Expected failures (a concurrent change, an unreachable lender) become a message on the page. */
export async function redirectOrShowProblem(
  path: string,
  reply: FastifyReply,
  act: () => Promise<string>,
): Promise<FastifyReply> {
  try {
    return await reply.redirect(await act(), 303)
  } catch (error) {
    if (!(error instanceof BursarError)) throw error
    if (error.code === 'SYE00001') return reply.redirect(`${path}?problem=away`, 303)
    if (error.code === 'HUE00000' || error.code === 'HUE00002')
      return reply.redirect(`${path}?problem=changed`, 303)
    throw error
  }
}
