import { branchFilter, type Institute } from '../institutes/institutes.rules.ts'
import { recordEvents } from '../events/events.service.ts'
import type { Page, PageRange } from '../platform/db/list.ts'
import { conflict, notFound } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { alreadyOnTheWay } from '../payments/on-the-way.rules.ts'
import { listOnTheWay } from '../payments/student-payments.service.ts'
import { paiseOf, sumPaise, ZERO, type Paise } from '../platform/money.ts'
import { readStudentContexts } from '../students/student-contexts.service.ts'
import { loanEvent } from './loan.events.ts'
import type { LoanContext } from './context.ts'
import { requireLender, lenderOf } from './lenders/lenders.service.ts'
import * as store from './loans.store.ts'
import {
  amountToAsk,
  expiryAfter,
  canAccept,
  canEnd,
  type Application,
  type LoanFile,
} from './loans.rules.ts'
import { mailBorrower, mailLender } from './loan-mails.service.ts'

/**
 * Starts an application. Nothing is sent to the lender until the parent continues to the lender's pages, so no personal
 * data leaves before the parent consents.
 */
export async function createApplication(
  ctx: LoanContext,
  command: Command<Application>,
  institute: Institute,
  wanted: { studentId: string; amountPaise?: Paise | undefined },
): Promise<Application> {
  const { studentId } = wanted
  const lender = await requireLender(ctx, institute.id)
  return transact(ctx.db, command, async tx => {
    const student = (await readStudentContexts(tx, [{ instituteId: institute.id, studentId }])).get(studentId)
    if (student === undefined) throw notFound('This student')
    if (student.student.status !== 'active') throw conflict('This student is dropped. Activate it first.')
    const live = await store.findLive(tx, institute.id, studentId)
    if (live !== null) throw openApplicationExists(live)
    const onTheWay = await listOnTheWay(tx, institute.id, [studentId])
    const expectedPaise = sumPaise(onTheWay.map(one => one.amountPaise))
    const allPaise = sumPaise(student.owed.map(line => line.amountPaise))
    const owedPaise = paiseOf(Math.max(allPaise - expectedPaise, 0))
    if (
      onTheWay.length > 0 &&
      (wanted.amountPaise ?? ZERO) <= allPaise &&
      (wanted.amountPaise ?? 1) > owedPaise
    )
      throw alreadyOnTheWay(onTheWay)
    const amountPaise = amountToAsk(wanted.amountPaise, owedPaise, lender.limits)
    const application = newApplication(institute, student.student.collectorCode, {
      studentId,
      lender: lender.name,
      lenderTitle: lender.title,
      amountPaise,
      at: ctx.clock.now(),
    })
    if (!(await store.insertApplication(tx, application)))
      throw openApplicationExists(await store.findLive(tx, institute.id, studentId))
    await recordEvents(tx, [
      loanEvent('cred.loan.application_started', application, {
        student,
        at: application.createdAt,
      }),
    ])
    return application
  })
}

/** `live` is null when the other application was created and ended concurrently. */
function openApplicationExists(live: Application | null): Error {
  const text = 'This student has an application that is not over. Go on with it, or cancel it first.'
  return conflict(text, live === null ? undefined : { application_id: live.id })
}

function newApplication(
  institute: Institute,
  collectorCode: string,
  {
    studentId,
    lender,
    lenderTitle,
    amountPaise,
    at,
  }: Pick<Application, 'studentId' | 'lender' | 'lenderTitle' | 'amountPaise'> & { at: Date },
): Application {
  return {
    instituteId: institute.id,
    id: newId('loan'),
    studentId,
    collectorCode,
    lender,
    lenderTitle,
    lenderRef: null,
    lenderUrl: null,
    state: 'started',
    askedPaise: amountPaise,
    amountPaise,
    reason: null,
    lenderProblem: null,
    offer: null,
    replacedOffers: [],
    acceptedAt: null,
    acceptanceSentAt: null,
    acceptance: null,
    createdAt: at,
    sentAt: null,
    borrower: null,
    filledAt: null,
    approvedAt: null,
    signedAt: null,
    endedAt: null,
    expiresAt: expiryAfter(at),
    ending: null,
    nextCheckAt: expiryAfter(at),
    checks: 0,
  }
}

export async function findLoanFile(
  { db }: LoanContext,
  institute: Institute,
  id: string,
): Promise<LoanFile | null> {
  return store.readFile(db, { instituteId: institute.id, applicationId: id })
}

export async function getApplication(ctx: LoanContext, institute: Institute, id: string): Promise<LoanFile> {
  const file = await findLoanFile(ctx, institute, id)
  if (file === null) throw notFound('This application')
  return file
}

/** The student's newest application in full. An open application is always the newest: only one can be open. */
export async function findNewest(
  ctx: LoanContext,
  instituteId: number,
  studentId: string,
): Promise<LoanFile | null> {
  const { rows } = await store.listApplications(ctx.db, instituteId, { studentId }, { limit: 1 })
  const [newest] = rows
  return newest === undefined ? null : store.readFile(ctx.db, { instituteId, applicationId: newest.id })
}

export async function listApplications(
  ctx: LoanContext,
  institute: Institute,
  filter: store.LoanFilter,
  page: PageRange,
): Promise<Page<Application>> {
  const { collectorCode: sent, studentId } = filter
  const collectorCode = branchFilter(institute, sent)
  if (studentId !== undefined) {
    const known = await readStudentContexts(ctx.db, [{ instituteId: institute.id, studentId }])
    if (!known.has(studentId)) throw notFound('This student')
  }
  return store.listApplications(ctx.db, institute.id, { ...filter, collectorCode }, page)
}

/**
 * The borrower accepts the offer on our page. The acceptance is committed before the lender is called: if the answer is
 * lost, the reconciler sends it again, which changes nothing at the lender.
 */
export async function acceptOffer(
  ctx: LoanContext,
  key: store.LoanKey,
  { offerRef, ip, agent }: { offerRef: string; ip: string; agent: string },
): Promise<void> {
  await ctx.db.transaction(async tx => {
    const file = await store.lockFile(tx, key)
    if (file === null) throw notFound('This application')
    const { application } = file
    if (application.acceptedAt !== null && application.offer?.ref === offerRef) return
    if (!canAccept(application) || application.offer?.ref !== offerRef)
      throw conflict('This offer cannot be accepted any more.')
    const now = ctx.clock.now()
    const acceptance = { ip, agent, offer: application.offer }
    await store.writeApplication(tx, {
      ...application,
      acceptedAt: now,
      acceptance,
      nextCheckAt: now,
      checks: 0,
    })
    await mailBorrower(tx, application, { kind: 'accepted' }, now)
    await mailLender(ctx, tx, application, 'accepted')
  })
  // The reconciler sends it if the lender does not answer now.
  await sendAcceptance(ctx, key).catch(() => {})
}

/** Tells the lender of an acceptance that it has not confirmed. */
export async function sendAcceptance(ctx: LoanContext, key: store.LoanKey): Promise<void> {
  const application = await store.findApplication(ctx.db, key)
  if (application === null || !canEnd(application.state)) return
  const { lender, lenderRef, offer, acceptedAt, acceptanceSentAt } = application
  if (offer === null || acceptedAt === null || acceptanceSentAt !== null) return
  await (await lenderOf(ctx, lender)).accept?.({ ...key, lenderRef }, { offerRef: offer.ref, acceptedAt })
  await ctx.db.transaction(async tx => {
    const file = await store.lockFile(tx, key)
    if (file !== null)
      await store.writeApplication(tx, { ...file.application, acceptanceSentAt: ctx.clock.now() })
  })
}
