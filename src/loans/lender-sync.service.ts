import type { Transaction } from '../platform/db/database.ts'
import { markUrl } from '../platform/cell-mark.rules.ts'
import { conflict, notFound, unavailable } from '../platform/errors.ts'
import { rememberAnswer, type Command } from '../platform/idempotency.ts'
import type { Run } from '../platform/jobs/job.ts'
import { processDue } from '../platform/jobs/due-rows.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { getInstitutesById } from '../institutes/institutes.service.ts'
import { recordEvents } from '../events/events.service.ts'
import { findPayment } from '../payments/payments.service.ts'
import { sendTransfer } from '../payments/debits/debits.service.ts'
import { readStudentContexts } from '../students/student-contexts.service.ts'
import { mailBorrower, mailLender } from './loan-mails.service.ts'
import { remindToConfirm } from './transfers.service.ts'
import { loanEvent } from './loan.events.ts'
import type { LoanContext } from './context.ts'
import { lenderOf } from './lenders/lenders.service.ts'
import { sendAcceptance } from './applications.service.ts'
import * as store from './loans.store.ts'
import type { LoanRequest } from './lender-port.ts'
import { type Application, canEnd, isGivenUp, type LoanFile, nextCheck } from './loans.rules.ts'
import { applyAll, askLender, moveTo } from './lender-updates.service.ts'

/** Calls to the lender: start an application, end it, ask for its status. */

/**
 * Sends the application to the lender, or resumes it; returns the lender's page. `sentAt` is committed before the call:
 * if the response is lost, the reconciler asks for the status and the next click sends it again.
 */
export async function sendToLender(ctx: LoanContext, key: store.LoanKey, returnUrl: string): Promise<string> {
  const application = await markSent(ctx, key)
  if (application.lenderUrl !== null) return application.lenderUrl
  const [institute] = await getInstitutesById(ctx, [key.instituteId])
  const { sentAt, borrower: consented } = application
  if (institute === undefined || sentAt === null || consented === null) throw notFound('This application')
  const { student, ...borrower } = consented
  const request: LoanRequest = {
    ...key,
    institute: { code: institute.code, name: institute.name },
    consentedAt: sentAt,
    amountPaise: application.askedPaise,
    borrower,
    description: `Fees for ${student}`,
    returnUrl,
    reportUrl: markUrl(`${ctx.publicUrl}/callbacks/lenders/${application.lender}`, ctx, institute.code),
  }
  const lender = await lenderOf(ctx, application.lender)
  const { reports = [], ...started } = await answered(lender.start(request))
  await ctx.db.transaction(async tx => {
    const file = await store.lockFile(tx, key)
    if (file !== null) await store.writeApplication(tx, { ...file.application, ...started })
  })
  await applyAll(ctx, reports)
  return started.lenderUrl
}

/** Reports a failed call as 503 with the lender as the reason. */
async function answered<Answer>(asking: Promise<Answer>): Promise<Answer> {
  try {
    return await asking
  } catch (error) {
    throw unavailable('The lender does not answer at the moment. Please try again in some minutes.', error)
  }
}

/** Who consents is kept with the consent: a contact that changes later has consented to nothing. */
async function markSent(ctx: LoanContext, key: store.LoanKey): Promise<Application> {
  return ctx.db.transaction(async tx => {
    const { application } = await requireFile(tx, key)
    if (!canEnd(application.state)) throw conflict(`This application is ${application.state}.`)
    if (application.ending !== null) throw conflict('This application is being canceled.')
    if (application.sentAt !== null) return application
    const { instituteId, studentId } = application
    const found = (await readStudentContexts(tx, [{ instituteId, studentId }])).get(studentId)
    if (found === undefined) throw notFound('This student')
    const { contactName: name, contactNumber: phone, contactEmail: email, fullname: student } = found.student
    const now = ctx.clock.now()
    const sent = { ...application, sentAt: now, borrower: { name, phone, email, student }, checks: 0 }
    const marked = { ...sent, nextCheckAt: nextCheck(sent, now) }
    await store.writeApplication(tx, marked)
    return marked
  })
}

async function requireFile(tx: Transaction, key: store.LoanKey): Promise<LoanFile> {
  const file = await store.lockFile(tx, key)
  if (file === null) throw notFound('This application')
  return file
}

/**
 * Ends an application that is not signed. One that was sent is over only when the lender confirms it; `ending` is
 * committed before the call, so the reconciler can finish it after a crash.
 */
export async function endApplication(
  ctx: LoanContext,
  key: store.LoanKey,
  how: 'canceled' | 'expired',
): Promise<LoanFile> {
  const isLenders = await ctx.db.transaction(async tx => {
    const { application } = await requireFile(tx, key)
    if (!canEnd(application.state)) throw notEndable(application)
    if (application.sentAt === null) {
      await endHere(ctx, tx, application, how)
      return false
    }
    const ending = application.ending ?? how
    await store.writeApplication(tx, { ...application, ending, nextCheckAt: ctx.clock.now() })
    return true
  })
  if (isLenders) await endAtLender(ctx, key)
  const file = await store.readFile(ctx.db, key)
  if (file === null) throw notFound('This application')
  if (canEnd(file.application.state)) return file
  // Signed at the lender in the meantime: it is a loan now.
  if (file.application.endedAt === null) throw notEndable(file.application)
  return file
}

/** Cancels at the institute's request. */
export async function cancelApplication(
  ctx: LoanContext,
  command: Command<Application>,
  institute: Institute,
  applicationId: string,
): Promise<Application> {
  const { application } = await endApplication(ctx, { instituteId: institute.id, applicationId }, 'canceled')
  // The lender was called in between, so one transaction could not cover it; a retry before this line gets 409.
  await ctx.db.transaction(async tx => {
    const { idempotency, audit, instituteId } = command
    await audit?.(tx, application)
    if (idempotency !== undefined)
      await rememberAnswer(tx, instituteId, idempotency, idempotency.answer(application))
  })
  return application
}

function notEndable({ state }: Application): Error {
  const why =
    state === 'agreement_signed' || state === 'disbursed'
      ? 'The agreement is signed, so the loan can only be ended at the lender.'
      : `This application is ${state} already.`
  return conflict(why)
}

async function endHere(
  ctx: LoanContext,
  tx: Transaction,
  application: Application,
  how: 'canceled' | 'expired',
): Promise<void> {
  const at = ctx.clock.now()
  const ended = moveTo(ctx, application, how, { endedAt: at })
  await store.writeApplication(tx, ended)
  const { instituteId, studentId } = application
  const student = (await readStudentContexts(tx, [{ instituteId, studentId }])).get(studentId)
  if (student === undefined) throw notFound('This student')
  const code = how === 'canceled' ? 'cred.loan.canceled' : 'cred.loan.application_expired'
  await recordEvents(tx, [loanEvent(code, ended, { student, at })])
  await mailBorrower(tx, application, { kind: how }, at)
  await mailLender(ctx, tx, application, how)
}

async function endAtLender(ctx: LoanContext, key: store.LoanKey): Promise<void> {
  const application = await store.findApplication(ctx.db, key)
  if (application === null || application.ending === null) return
  const { lender, lenderRef, ending } = application
  const at = await lenderOf(ctx, lender)
  const reports = await answered(at.end({ ...key, lenderRef }, ending))
  if (reports.length > 0) return applyAll(ctx, reports)
  // It was never sent, so there is nothing to end at the lender.
  await ctx.db.transaction(async tx => {
    const { application: known } = await requireFile(tx, key)
    if (canEnd(known.state) && known.ending !== null) await endHere(ctx, tx, known, known.ending)
  })
}

/** Reconciles open applications with the lender and expires those past their time. */
export function checkApplications(ctx: LoanContext): Run {
  return processDue(ctx, store.toCheck, application => checkApplication(ctx, application))
}

async function checkApplication(ctx: LoanContext, application: Application): Promise<void> {
  const { instituteId, id: applicationId } = application
  const key = { instituteId, applicationId }
  if (application.sentAt !== null && (await endIfSilent(ctx, application))) return
  await sendAcceptance(ctx, key)
  await sendLeftTransfers(ctx, key)
  await remindToConfirm(ctx, key)
  const now = ctx.clock.now()
  const after = await store.findApplication(ctx.db, key)
  if (after === null) return
  if (canEnd(after.state) && after.ending !== null) await endAtLender(ctx, key)
  else if (canEnd(after.state) && after.expiresAt <= now) await endApplication(ctx, key, 'expired')
  await ctx.db.transaction(async tx => {
    const { application: known } = await requireFile(tx, key)
    await store.writeApplication(tx, { ...known, nextCheckAt: nextCheck(known, now) })
  })
}

/** Asks the lender. One that does not answer for long after the application lapsed must not keep the family from others. */
async function endIfSilent(ctx: LoanContext, application: Application): Promise<boolean> {
  const key = { instituteId: application.instituteId, applicationId: application.id }
  try {
    await askLender(ctx, key)
    return false
  } catch (error) {
    if (!isGivenUp(application, ctx.clock.now())) throw error
  }
  await ctx.db.transaction(async tx => {
    const { application: known } = await requireFile(tx, key)
    if (canEnd(known.state)) await endHere(ctx, tx, known, known.ending ?? 'expired')
  })
  return true
}

/** Sends transfers that a crash kept from the bank; sending one twice changes nothing. */
async function sendLeftTransfers(ctx: LoanContext, key: store.LoanKey): Promise<void> {
  const file = await store.readFile(ctx.db, key)
  if (file === null) return
  const left = file.payOuts.filter(({ trancheId, number }) => {
    const tranche = file.tranches.find(({ id }) => id === trancheId)
    const isNewest = file.payOuts.every(one => one.trancheId !== trancheId || one.number <= number)
    return isNewest && tranche?.state === 'paid_out'
  })
  for (const { paymentId, reference } of left) {
    const payment = await findPayment(ctx, key.instituteId, paymentId)
    if (payment === null) throw new Error(`a pay-out of ${key.applicationId} lost its payment`)
    await sendTransfer(ctx, payment, { collectorCode: file.application.collectorCode, reference })
  }
}

export async function nextCheckDue({ db }: LoanContext): Promise<Date | null> {
  return store.toCheck.nextDue(db)
}

/** When the next application expires: the sandbox clock stops there. */
export async function nextApplicationExpiry({ db, clock }: LoanContext): Promise<Date | null> {
  return store.nextExpiry(db, clock.now())
}
