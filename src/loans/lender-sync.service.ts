import type { Transaction } from '../platform/db/database.ts'
import { conflict, notFound, unavailable } from '../platform/errors.ts'
import { rememberAnswer, type Command } from '../platform/idempotency.ts'
import type { Run } from '../platform/jobs/job.ts'
import { processDue } from '../platform/jobs/process-due.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { recordEvents } from '../events/events.service.ts'
import { findPayment } from '../payments/payments.service.ts'
import { sendTransfer } from '../payments/debits/transfers.service.ts'
import { readStudentContexts, type StudentContext } from '../students/student-contexts.service.ts'
import { credEvent } from './loan-events.ts'
import { lenderOf, type LoanContext } from './context.ts'
import * as store from './loans.store.ts'
import type { LoanRequest } from './lender-port.ts'
import { canEnd, nextCheck, type Application, type LoanFile } from './loans.rules.ts'
import { applyAll, askLender, moveTo } from './lender-news.service.ts'

/** What we ask of lenders: to take an application up, to end it, and how it stands. */

/**
 * Hands the application to the lender, or takes up where it was left; answers the lender's page. That it was sent is
 * committed before the lender is asked; if the answer is lost, the janitor asks, and the next click sends it again.
 */
export async function sendToLender(
  cred: LoanContext,
  key: store.LoanKey,
  returnUrl: string,
): Promise<string> {
  const { application, student } = await markSent(cred, key)
  if (application.lenderUrl !== null) return application.lenderUrl
  const { contactName: name, contactNumber: phone, contactEmail: email, fullname } = student.student
  const request: LoanRequest = {
    ...key,
    amountPaise: application.askedPaise,
    borrower: { name, phone, email },
    description: `Fees for ${fullname}`,
    returnUrl,
  }
  const started = await answered(lenderOf(cred, application.lender).start(request))
  await cred.db.transaction(async tx => {
    const file = await store.lockFile(tx, key)
    if (file !== null) await store.writeApplication(tx, { ...file.application, ...started })
  })
  return started.lenderUrl
}

/** Whoever waits for the answer is told that it is the lender who does not give one. */
async function answered<Answer>(asking: Promise<Answer>): Promise<Answer> {
  try {
    return await asking
  } catch (error) {
    throw unavailable('The lender does not answer at the moment. Please try again in some minutes.', error)
  }
}

async function markSent(
  cred: LoanContext,
  key: store.LoanKey,
): Promise<{ application: Application; student: StudentContext }> {
  return cred.db.transaction(async tx => {
    const { application } = await requireFile(tx, key)
    if (!canEnd(application.state)) throw conflict(`This application is ${application.state}.`)
    if (application.ending !== null) throw conflict('This application is being canceled.')
    const { instituteId, studentId } = application
    const student = (await readStudentContexts(tx, [{ instituteId, studentId }])).get(studentId)
    if (student === undefined) throw notFound('This student')
    if (application.sentAt !== null) return { application, student }
    const now = cred.clock.now()
    const sent = { ...application, sentAt: now, checks: 0 }
    const marked = { ...sent, nextCheckAt: nextCheck(sent, now) }
    await store.writeApplication(tx, marked)
    return { application: marked, student }
  })
}

async function requireFile(tx: Transaction, key: store.LoanKey): Promise<LoanFile> {
  const file = await store.lockFile(tx, key)
  if (file === null) throw notFound('This application')
  return file
}

/**
 * Ends an application that is not signed. One that the lender knows is over when the lender says so; the wish is
 * committed before it is asked, so the janitor finishes what was begun.
 */
export async function endApplication(
  cred: LoanContext,
  key: store.LoanKey,
  how: 'canceled' | 'expired',
): Promise<LoanFile> {
  const isLenders = await cred.db.transaction(async tx => {
    const { application } = await requireFile(tx, key)
    if (!canEnd(application.state)) throw notEndable(application)
    if (application.sentAt === null) {
      await endHere(cred, tx, application, how)
      return false
    }
    const ending = application.ending ?? how
    await store.writeApplication(tx, { ...application, ending, nextCheckAt: cred.clock.now() })
    return true
  })
  if (isLenders) await endAtLender(cred, key)
  const file = await store.readFile(cred.db, key)
  if (file === null) throw notFound('This application')
  if (canEnd(file.application.state)) return file
  // Signed at the lender at this very moment: it is a loan now.
  if (file.application.endedAt === null) throw notEndable(file.application)
  return file
}

/** As the institute asks for it. */
export async function cancelApplication(
  cred: LoanContext,
  command: Command<Application>,
  institute: Institute,
  applicationId: string,
): Promise<Application> {
  const { application } = await endApplication(cred, { instituteId: institute.id, applicationId }, 'canceled')
  // The lender was asked in between, so no transaction could hold all of it; a repeat that comes first is told 409.
  if (command.idempotency !== undefined)
    await rememberAnswer(
      cred.db,
      command.instituteId,
      command.idempotency,
      command.idempotency.answer(application),
    )
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
  cred: LoanContext,
  tx: Transaction,
  application: Application,
  how: 'canceled' | 'expired',
): Promise<void> {
  const at = cred.clock.now()
  const ended = moveTo(cred, application, how, { endedAt: at })
  await store.writeApplication(tx, ended)
  const { instituteId, studentId } = application
  const student = (await readStudentContexts(tx, [{ instituteId, studentId }])).get(studentId)
  if (student === undefined) throw notFound('This student')
  const lenderTitle = lenderOf(cred, application.lender).title
  const code = how === 'canceled' ? 'cred.loan.canceled' : 'cred.loan.application_expired'
  await recordEvents(tx, [credEvent(code, ended, { student, lenderTitle, at })])
}

async function endAtLender(cred: LoanContext, key: store.LoanKey): Promise<void> {
  const application = await store.findApplication(cred.db, key)
  if (application === null || application.ending === null) return
  const { lender, lenderRef, ending } = application
  const reports = await answered(lenderOf(cred, lender).end({ ...key, lenderRef }, ending))
  if (reports.length > 0) return applyAll(cred, reports)
  // The lender never had it, so it ends with us.
  await cred.db.transaction(async tx => {
    const { application: known } = await requireFile(tx, key)
    if (canEnd(known.state) && known.ending !== null) await endHere(cred, tx, known, known.ending)
  })
}

/** Asks about applications whose end is not known, and ends those whose time is up. */
export function checkApplications(cred: LoanContext): Run {
  return processDue(cred, store.toCheck, application => checkApplication(cred, application))
}

async function checkApplication(cred: LoanContext, application: Application): Promise<void> {
  const { instituteId, id: applicationId } = application
  const key = { instituteId, applicationId }
  if (application.sentAt !== null) await askLender(cred, key)
  await sendLeftTransfers(cred, key)
  const now = cred.clock.now()
  const after = await store.findApplication(cred.db, key)
  if (after === null) return
  if (canEnd(after.state) && after.ending !== null) await endAtLender(cred, key)
  else if (canEnd(after.state) && after.expiresAt <= now) await endApplication(cred, key, 'expired')
  await cred.db.transaction(async tx => {
    const { application: known } = await requireFile(tx, key)
    await store.writeApplication(tx, { ...known, nextCheckAt: nextCheck(known, now) })
  })
}

/** Transfers that the bank was not told of because somebody died in between; telling it twice changes nothing. */
async function sendLeftTransfers(cred: LoanContext, key: store.LoanKey): Promise<void> {
  const file = await store.readFile(cred.db, key)
  if (file === null) return
  const left = file.payOuts.filter(({ trancheId, number }) => {
    const tranche = file.tranches.find(({ id }) => id === trancheId)
    const isNewest = file.payOuts.every(one => one.trancheId !== trancheId || one.number <= number)
    return isNewest && tranche?.state === 'paid_out'
  })
  for (const { paymentId, reference } of left) {
    const payment = await findPayment(cred, key.instituteId, paymentId)
    if (payment === null) throw new Error(`a pay-out of ${key.applicationId} lost its payment`)
    await sendTransfer(cred, payment, { collectorCode: file.application.collectorCode, reference })
  }
}

export async function nextCheckDue({ db }: LoanContext): Promise<Date | null> {
  return store.toCheck.nextDue(db)
}

/** Where a moving clock has to stop: when an application lapses. */
export async function nextLapse({ db, clock }: LoanContext): Promise<Date | null> {
  return store.nextLapse(db, clock.now())
}
