import type { FastifyInstance, FastifyReply } from 'fastify'
import { createApplication, findNewest, requireLender } from '../../loans/applications.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { endApplication, sendToLender } from '../../loans/lender-sync.service.ts'
import type { LoanFile } from '../../loans/loans.rules.ts'
import {
  canApply,
  canApplyAgain,
  canWithdraw,
  describeCred,
  mostOf,
  type CredProblem,
  type CredScene,
} from './loan-page.ts'
import { comeBack, goToLender, sceneOf, toPageOnTrouble } from './page-data.ts'
import { CRED_WORDS } from './loan.texts.ts'
import { pathOfStudent } from '../entry/entry.rules.ts'
import { formField, sendPage } from '../layout.ts'
import { CHILD, frameOf, sendUnknown, withChild, type ChildVisit } from '../parents/access.ts'
import { readAmount } from '../parents/pay-amount.rules.ts'
import { fill } from '../checkout/checkout.texts.ts'

const LOAN = `${CHILD}/cred`
const hidden = { schema: { hide: true } }

/** A child's loan: what it is and costs, applying for it, how it stands, withdrawing it. */
export function credParentPages(app: FastifyInstance, cred: LoanContext): void {
  if (cred.currentLender === null) return
  app.get(
    LOAN,
    hidden,
    withChild(cred, visit => showLoan(cred, visit)),
  )
  app.post(
    `${LOAN}/start`,
    hidden,
    withChild(cred, visit => startLoan(cred, visit)),
  )
  app.post(
    `${LOAN}/lender`,
    hidden,
    withNewest(cred, (file, { request, reply, studentId }) =>
      goToLender(cred, file, { path: pathOfLoan(studentId), request, reply }),
    ),
  )
  app.get(
    `${LOAN}/return`,
    hidden,
    withNewest(cred, (file, { reply, studentId }) => comeBack(cred, file, pathOfLoan(studentId), reply)),
  )
  app.get(
    `${LOAN}/withdraw`,
    hidden,
    withChild(cred, visit => askFirst(cred, visit)),
  )
  app.post(
    `${LOAN}/withdraw`,
    hidden,
    withChild(cred, visit => withdraw(cred, visit)),
  )
  // By the browser's own ways: the page tells how it stands.
  for (const step of ['start', 'lender'])
    app.get(
      `${LOAN}/${step}`,
      hidden,
      withChild(cred, async ({ reply, studentId }) => reply.redirect(pathOfLoan(studentId), 303)),
    )
}

function pathOfLoan(studentId: string): string {
  return `${pathOfStudent(studentId)}/cred`
}

/** The child's loan; with `apply` and nothing in the way, a new one. */
async function loanOf(cred: LoanContext, visit: ChildVisit): Promise<CredScene | null> {
  const { session, studentId, request, language } = visit
  const { institute } = session
  const file = await findNewest(cred, institute.id, studentId)
  const asked = { institute, studentId, path: pathOfLoan(studentId), isParent: true, request, language }
  const scene = await sceneOf(cred, { ...asked, file })
  const isAgain = (request.query as { apply?: unknown }).apply === '1' || request.method === 'POST'
  if (scene === null || !isAgain || !canApplyAgain(scene)) return scene
  return { ...scene, file: null, lender: requireLender(cred) }
}

async function showLoan(cred: LoanContext, visit: ChildVisit): Promise<FastifyReply> {
  const { language, reply, words, studentId } = visit
  const scene = await loanOf(cred, visit)
  if (scene === null) return sendUnknown(visit)
  const { title, data } = describeCred(scene)
  const up = { url: pathOfStudent(studentId), text: fill(words.student.heading, { who: scene.studentName }) }
  return sendPage(reply, {
    template: 'cred',
    title,
    language,
    data: { ...frameOf(visit, cred), ...data, up },
  })
}

/** From the form to the lender in one step: what was agreed to is the amount that was written. */
async function startLoan(cred: LoanContext, visit: ChildVisit): Promise<FastifyReply> {
  const { session, studentId, request, reply } = visit
  const path = pathOfLoan(studentId)
  const scene = await loanOf(cred, visit)
  // A double click: the application is there, and its page leads on.
  if (scene === null || !canApply(scene)) return reply.redirect(path, 303)
  const wrote = formField(request, 'amount') ?? ''
  const amountPaise = readAmount(wrote)
  const problem = problemOf(scene, amountPaise, formField(request, 'consent'))
  if (problem !== null || amountPaise === null) {
    const query = new URLSearchParams({ apply: '1', problem: problem ?? 'amount', wrote: wrote.slice(0, 20) })
    return reply.redirect(`${path}?${query.toString()}#loan`, 303)
  }
  const { institute } = session
  return toPageOnTrouble(path, reply, async () => {
    const act = { instituteId: institute.id }
    const { id: applicationId } = await createApplication(cred, act, institute, { studentId, amountPaise })
    const returnUrl = `${cred.publicUrl}${path}/return`
    return sendToLender(cred, { instituteId: institute.id, applicationId }, returnUrl)
  })
}

function problemOf(
  scene: CredScene,
  amountPaise: number | null,
  consent: string | undefined,
): CredProblem | null {
  if (amountPaise === null || amountPaise === 0) return 'amount'
  if (amountPaise > mostOf(scene)) return 'tooMuch'
  if (amountPaise < scene.lender.limits.leastPaise) return 'tooLittle'
  return consent === 'yes' ? null : 'consent'
}

async function askFirst(cred: LoanContext, visit: ChildVisit): Promise<FastifyReply> {
  const { language, reply, studentId, words } = visit
  const scene = await loanOf(cred, visit)
  if (scene === null || scene.file === null || !canWithdraw(scene))
    return reply.redirect(pathOfLoan(studentId), 303)
  const l = CRED_WORDS[language]
  const about = fill(l.heading, { who: scene.studentName })
  return sendPage(reply, {
    template: 'parents-confirm',
    title: `${l.withdrawAsk} ${about}`,
    language,
    data: {
      ...frameOf(visit, cred),
      heading: l.withdrawAsk,
      about,
      say: fill(l.withdrawSay, { lender: scene.lender.title }),
      form: { action: `${scene.path}/withdraw`, button: l.withdrawYes, planId: scene.file.application.id },
      no: { url: scene.path, text: words.confirm.no },
    },
  })
}

async function withdraw(cred: LoanContext, visit: ChildVisit): Promise<FastifyReply> {
  const { request, reply, session, studentId } = visit
  const path = pathOfLoan(studentId)
  const instituteId = session.institute.id
  const file = await findNewest(cred, instituteId, studentId)
  const applicationId = file?.application.id
  // What was confirmed is done, or nothing: not to another application that was made meanwhile.
  if (applicationId === undefined || applicationId !== formField(request, 'plan_id'))
    return reply.redirect(path, 303)
  return toPageOnTrouble(path, reply, async () => {
    await endApplication(cred, { instituteId, applicationId }, 'canceled')
    return path
  })
}

/** For what is about the application that the page shows; without one there is only the page. */
function withNewest(cred: LoanContext, handle: (file: LoanFile, visit: ChildVisit) => Promise<FastifyReply>) {
  return withChild(cred, async visit => {
    const file = await findNewest(cred, visit.session.institute.id, visit.studentId)
    return file === null ? visit.reply.redirect(pathOfLoan(visit.studentId), 303) : handle(file, visit)
  })
}
