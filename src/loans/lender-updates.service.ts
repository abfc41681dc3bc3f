import { recordEvents } from '../events/events.service.ts'
import type { Forward } from '../institutes/forward.service.ts'
import type { LoanContext } from './context.ts'
import type { LenderName, LenderUpdate, LoanReport, PayOut } from './lender-port.ts'
import { lenderOf } from './lenders/lenders.service.ts'
import { mailBorrower, mailInstitute, mailLender } from './loan-mails.service.ts'
import { newsOf } from './loan-messages.texts.ts'
import { loanEvent } from './loan.events.ts'
import {
  allocate,
  type Application,
  assertMove,
  assertTrancheMove,
  BANK_TRANSFER,
  clampTime,
  contradiction,
  expiryAfter,
  isOver,
  judge,
  type LoanFile,
  type LoanState,
  mayOvertake,
  nextCheck,
  reportRefusal,
  type Tranche,
  trancheOf,
  type Verdict,
} from './loans.rules.ts'
import * as store from './loans.store.ts'
import { writeTranche } from './loans.store.ts'
import { type Order, orderFor } from '../orders/orders.rules.ts'
import { openTransfer, sendTransfer } from '../payments/debits/debits.service.ts'
import type { Payment } from '../payments/payments.rules.ts'
import { assert, assertNever } from '../platform/assert.ts'
import type { Transaction } from '../platform/db/database.ts'
import { badRequest, conflict } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { type Paise, sumPaise, ZERO } from '../platform/money.ts'
import type { Callback } from '../providers/port.ts'
import { readStudentContexts, type StudentContext } from '../students/student-contexts.service.ts'

/** Handles a lender's callback: the signature is required, and duplicates and reordering do no harm. */
export async function takeLenderCallback(
  ctx: LoanContext,
  name: LenderName,
  callback: Callback,
  forward?: Forward,
): Promise<void> {
  const lender = await lenderOf(ctx, name)
  const reports = await lender.readCallback(callback)
  if (reports === null)
    throw badRequest(
      'The signature is missing or wrong, or its timestamp is more than five minutes away from our clock.',
    )
  for (const report of reports) {
    if ((await forward?.({ by: 'id', value: report.instituteId })) === true) return
    const application = await store.findApplication(ctx.db, report)
    // A lender speaks of its own applications only.
    if (application?.lender !== name) continue
    if (mayOvertake(report.update)) await askLender(ctx, report)
    const applied = await applyUpdate(ctx, report)
    if (applied.outcome === 'ahead') await askLender(ctx, report)
    if (applied.refusal !== null) throw conflict(applied.refusal)
  }
}

/** Fetches and applies all reports about an application; reports that were applied before change nothing. */
export async function askLender(
  ctx: LoanContext,
  { instituteId, applicationId }: Pick<LoanReport, 'instituteId' | 'applicationId'>,
): Promise<void> {
  const application = await store.findApplication(ctx.db, { instituteId, applicationId })
  if (application === null) return
  const { lender, lenderRef } = application
  const reports = await (await lenderOf(ctx, lender)).status({ instituteId, applicationId, lenderRef })
  await applyAll(ctx, reports)
}

/** Applies reports in the lender's order. One that is still ahead of a missing one is applied when the reconciler asks again. */
export async function applyAll(ctx: LoanContext, reports: readonly LoanReport[]): Promise<void> {
  for (const report of reports) await applyUpdate(ctx, report)
}

type Transfer = { payment: Payment; collectorCode: string; reference: string }
type AppliedReport = { outcome: Verdict; transfer: Transfer | null; refusal: string | null }

/** Applies one report and records its event in one transaction; a pay-out is announced to the bank after the commit. */
async function applyUpdate(ctx: LoanContext, report: LoanReport): Promise<AppliedReport> {
  const applied = await ctx.db.transaction(tx => applyIn(ctx, tx, report))
  await announce(ctx, applied.transfer)
  return applied
}

/** If the process crashes before this or the bank is unreachable, the reconciler sends the transfer. */
export async function announce(ctx: LoanContext, transfer: Transfer | null): Promise<void> {
  if (transfer === null) return
  const { payment, ...how } = transfer
  await sendTransfer(ctx, payment, how)
}

const NOTHING: AppliedReport = { outcome: 'nothing', transfer: null, refusal: null }

/** Applies one report in the caller's transaction, which announces the transfer after its commit. */
export async function applyIn(ctx: LoanContext, tx: Transaction, report: LoanReport): Promise<AppliedReport> {
  const file = await store.lockFile(tx, report)
  if (file === null) return NOTHING
  const outcome = judge(file, report.update)
  const refusal = refusalOf(file, report.update, outcome)
  if (refusal !== null) {
    // A person has to see it: the lender believes something else than we do.
    await store.writeProblem(tx, report, refusal)
    return { ...NOTHING, refusal }
  }
  if (outcome !== 'apply') return { ...NOTHING, outcome }
  const { instituteId, studentId, createdAt } = file.application
  const student = (await readStudentContexts(tx, [{ instituteId, studentId }])).get(studentId)
  assert(student !== undefined, `the application ${file.application.id} lost its student`)
  const lenderRef = file.application.lenderRef ?? report.lenderRef
  const application = { ...file.application, lenderRef, lenderProblem: null }
  const at = clampTime(report.update.at, { from: createdAt, to: ctx.clock.now() })
  const loan = { file: { ...file, application }, student }
  const transfer = await perform(ctx, tx, loan, { ...report.update, at })
  await mailBorrower(tx, application, newsOf(report.update), ctx.clock.now())
  if (report.update.kind === 'filled') await mailLender(ctx, tx, application, 'applied')
  return { outcome, transfer, refusal: null }
}

function refusalOf(file: LoanFile, update: LenderUpdate, outcome: Verdict): string | null {
  return outcome === 'apply' ? reportRefusal(file, update) : contradiction(file, update)
}

type LoadedLoan = { file: LoanFile; student: StudentContext }

async function perform(
  ctx: LoanContext,
  tx: Transaction,
  loan: LoadedLoan,
  update: LenderUpdate,
): Promise<Transfer | null> {
  const { at } = update
  switch (update.kind) {
    case 'filled':
      await move(ctx, tx, loan, { to: 'filled', at, change: { filledAt: at } })
      return null
    case 'approved': {
      const { amountPaise, offer = null } = update
      const { state, offer: earlier, replacedOffers } = loan.file.application
      const change = { approvedAt: at, amountPaise, offer, expiresAt: expiryAfter(at) }
      if (state !== 'final_approved' || earlier === null)
        await move(ctx, tx, loan, { to: 'final_approved', at, change })
      else await replaceOffer(ctx, tx, loan, { ...change, replacedOffers: [...replacedOffers, earlier] })
      return null
    }
    case 'signed':
      await sign(ctx, tx, loan, update)
      return null
    case 'rejected':
      await move(ctx, tx, loan, { to: 'rejected', at, change: { reason: update.reason } })
      return null
    case 'canceled':
    case 'expired':
      await move(ctx, tx, loan, { to: update.kind, at, change: {} })
      return null
    case 'paid_out':
      return takePayOut(ctx, tx, loan, update)
    case 'emi_debited': {
      const { ref, dueOn, amountPaise } = update.emi
      const emi = { id: newId('pay'), lenderRef: ref, dueOn, paidAt: at, amountPaise }
      await store.insertEmi(tx, keyOf(loan), emi)
      const { student } = loan
      await recordEvents(tx, [
        loanEvent('cred.emi.debited', loan.file.application, { student, at, payment: emi }),
      ])
      return null
    }
    default:
      return assertNever(update)
  }
}

const CODES = {
  filled: 'cred.loan.application_filled',
  final_approved: 'cred.loan.final_approved',
  rejected: 'cred.loan.rejected',
  canceled: 'cred.loan.canceled',
  expired: 'cred.loan.application_expired',
} as const

async function move(
  ctx: LoanContext,
  tx: Transaction,
  loan: LoadedLoan,
  { to, at, change }: { to: keyof typeof CODES; at: Date; change: Partial<Application> },
): Promise<void> {
  const moved = moveTo(ctx, loan.file.application, to, {
    ...change,
    ...(isOver(to) ? { endedAt: at } : {}),
  })
  await store.writeApplication(tx, moved)
  await recordEvents(tx, [loanEvent(CODES[to], moved, { student: loan.student, at })])
}

/** A better offer, or one without a typing mistake: the family has not accepted the one before. */
async function replaceOffer(
  ctx: LoanContext,
  tx: Transaction,
  { file, student }: LoadedLoan,
  change: Partial<Application> & { approvedAt: Date },
): Promise<void> {
  const application = { ...file.application, ...change, checks: 0 }
  const replaced = { ...application, nextCheckAt: nextCheck(application, ctx.clock.now()) }
  await store.writeApplication(tx, replaced)
  const event = loanEvent('cred.loan.final_approved', replaced, { student, at: change.approvedAt })
  await recordEvents(tx, [event])
}

/** The application in its next state, with the time of the next status check. */
export function moveTo(
  { clock }: Pick<LoanContext, 'clock'>,
  application: Application,
  to: LoanState,
  change: Partial<Application>,
): Application {
  assertMove(application.state, to)
  const moved: Application = { ...application, ...change, state: to, checks: 0 }
  return { ...moved, nextCheckAt: nextCheck(moved, clock.now()), ending: isOver(to) ? null : moved.ending }
}

/** The signed agreement sets the tranches, their dates and the total. */
async function sign(
  ctx: LoanContext,
  tx: Transaction,
  loan: LoadedLoan,
  { at, tranches }: Extract<LenderUpdate, { kind: 'signed' }>,
): Promise<void> {
  const planned = tranches
    .toSorted((one, other) => (one.plannedOn < other.plannedOn ? -1 : 1))
    .map(({ ref, plannedOn, amountPaise }, index) =>
      newTranche({ number: index + 1, lenderRef: ref, plannedOn, amountPaise }),
    )
  const amountPaise = sumPaise(planned.map(tranche => tranche.amountPaise))
  const signed = moveTo(ctx, loan.file.application, 'agreement_signed', {
    signedAt: at,
    amountPaise,
    ending: null,
  })
  await store.writeApplication(tx, signed)
  for (const tranche of planned) await store.writeTranche(tx, keyOf(loan), tranche)
  const { student } = loan
  await recordEvents(tx, [
    loanEvent('cred.loan.agreement_signed', signed, { student, at, disbursements: planned }),
  ])
}

const NOT_RETURNED = { returnedPaise: ZERO, returnedAt: null, withdrawnAt: null, remindedAt: null }

/** Creates an order and a payment for the lender's transfer, so that the bank reports it like any other payment. */
async function takePayOut(
  ctx: LoanContext,
  tx: Transaction,
  loan: LoadedLoan,
  { at, payOut }: Extract<LenderUpdate, { kind: 'paid_out' }>,
): Promise<Transfer> {
  const { file, student } = loan
  const { instituteId, collectorCode } = file.application
  const account = await ctx.accounts.accountForTransfers(tx, { instituteId, collectorCode })
  assert(account !== null, 'a lender paid out, but no provider receives transfers')
  const { number, amountPaise, reference } = payOut
  const tranche = await writePaidTranche(tx, file, payOut)
  const now = ctx.clock.now()
  const order = disbursementOrder(student, { collectorCode, amountPaise, at: now })
  const { id: accountId, provider } = account
  const payment = await openTransfer(tx, { instituteId, order, provider, accountId, at: now })
  const record = { number, trancheId: tranche.id, orderId: order.id, paymentId: payment.id, amountPaise }
  const payOutRecord = {
    ...record,
    reference,
    paidOutAt: at,
    receivedAt: null,
    missingAt: null,
    ...NOT_RETURNED,
  }
  await store.insertPayOut(tx, keyOf(loan), payOutRecord)
  const application = { ...file.application, checks: 0 }
  await store.writeApplication(tx, { ...application, nextCheckAt: nextCheck(application, now) })
  if (accountId === BANK_TRANSFER)
    await mailInstitute(ctx, tx, application, { payOut: payOutRecord, isReminder: false })
  return { payment, collectorCode, reference }
}

function keyOf({ file: { application } }: LoadedLoan): store.LoanKey {
  return { instituteId: application.instituteId, applicationId: application.id }
}

/** Marks the tranche of a pay-out as paid out; an amount the lender still owes on it becomes a planned tranche. */
async function writePaidTranche(
  tx: Transaction,
  { application, tranches }: Pick<LoanFile, 'application' | 'tranches'>,
  payOut: PayOut,
): Promise<Tranche> {
  const key = { instituteId: application.instituteId, applicationId: application.id }
  const number = tranches.reduce((highest, one) => Math.max(highest, one.number), 0) + 1
  const paid = trancheOf(tranches, payOut)
  const { trancheRef: lenderRef, day: plannedOn } = payOut
  const tranche =
    paid.kind === 'planned'
      ? { ...paid.tranche, amountPaise: paid.amountPaise, plannedOn, failure: null }
      : newTranche({ number, lenderRef, plannedOn, amountPaise: paid.amountPaise })
  assertTrancheMove(tranche.state, 'paid_out')
  const written: Tranche = { ...tranche, state: 'paid_out' }
  await writeTranche(tx, key, written)
  if (paid.kind === 'planned' && paid.rest !== null) {
    const { ref, ...rest } = paid.rest
    await writeTranche(tx, key, newTranche({ ...rest, number, lenderRef: ref }))
  }
  return written
}

function newTranche(
  planned: Pick<Tranche, 'number' | 'lenderRef' | 'plannedOn'> & { amountPaise: Paise },
): Tranche {
  return {
    ...planned,
    id: newId('disb'),
    state: 'planned',
    disbursedPaise: null,
    settlementUtr: null,
    failure: null,
  }
}

/** The order that the lender's transfer pays. */
function disbursementOrder(
  { student, owed, prices }: StudentContext,
  { collectorCode, amountPaise, at }: { collectorCode: string; amountPaise: Paise; at: Date },
): Order {
  const lines = allocate(amountPaise, { owed, components: prices.map(price => price.componentType) })
  return orderFor(student, { kind: 'loan', lines, at, collectorCode })
}
