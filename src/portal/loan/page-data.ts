import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireLender } from '../../loans/applications.service.ts'
import { lenderOf, type LoanContext } from '../../loans/context.ts'
import { sendToLender } from '../../loans/lender-sync.service.ts'
import type { LoanFile } from '../../loans/loans.rules.ts'
import { askLender } from '../../loans/lender-news.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { BursarError } from '../../platform/errors.ts'
import { sumPaise } from '../../platform/money.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import type { CredProblem, CredScene } from './loan-page.ts'
import { formField } from '../layout.ts'
import type { Language } from '../checkout/checkout.texts.ts'

/** What the page of an application and the parents' page of a loan have in common. */
const PROBLEMS: readonly CredProblem[] = ['consent', 'changed', 'away', 'amount', 'tooMuch', 'tooLittle']

type SceneOf = {
  institute: Institute
  studentId: string
  file: LoanFile | null
  path: string
  isParent: boolean
  request: FastifyRequest
  language: Language
}

/** Null when there is no such student. */
export async function sceneOf(cred: LoanContext, asked: SceneOf): Promise<CredScene | null> {
  const { institute, studentId, file, request } = asked
  const student = (await readStudentContexts(cred.db, [{ instituteId: institute.id, studentId }])).get(
    studentId,
  )
  if (student === undefined) return null
  const { problem, wrote } = request.query as { problem?: unknown; wrote?: unknown }
  return {
    ...asked,
    collectorCode: student.student.collectorCode,
    studentName: student.student.fullname,
    isActive: student.student.status === 'active',
    owedPaise: sumPaise(student.owed.map(line => line.amountPaise)),
    lender: file === null ? requireLender(cred) : lenderOf(cred, file.application.lender),
    problem: PROBLEMS.find(one => one === problem),
    wrote: typeof wrote === 'string' ? wrote.slice(0, 20) : undefined,
    isSandbox: cred.mode === 'sandbox',
  }
}

/** On to the lender, for the first time only with the parent's consent. */
export async function goToLender(
  cred: LoanContext,
  { application }: LoanFile,
  { path, request, reply }: { path: string; request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  if (application.sentAt === null && formField(request, 'consent') !== 'yes')
    return reply.redirect(`${path}?problem=consent#agree`, 303)
  const key = { instituteId: application.instituteId, applicationId: application.id }
  return toPageOnTrouble(path, reply, () => sendToLender(cred, key, `${cred.publicUrl}${path}/return`))
}

/** Back from the lender: if its word was faster than its callback, it is asked. */
export async function comeBack(
  cred: LoanContext,
  { application }: LoanFile,
  path: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { instituteId, id: applicationId } = application
  // If the lender does not answer now, the janitor asks later, and the page shows what is known.
  if (application.sentAt !== null) await askLender(cred, { instituteId, applicationId }).catch(() => {})
  return reply.redirect(path, 303)
}

/** What was done meanwhile, or that the lender does not answer, the page says. */
export async function toPageOnTrouble(
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
