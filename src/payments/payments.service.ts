import { captureOf } from '../ledger/ledger.rules.ts'
import { post } from '../ledger/ledger.service.ts'
import { markPaid } from '../orders/order-payments.service.ts'
import { assertNever } from '../platform/assert.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Transaction } from '../platform/db/database.ts'
import { sumPaise, type Paise, formatRupees } from '../platform/money.ts'
import { type PaymentOutcome, type PaymentReport, ProviderRefused } from '../providers/port.ts'
import { financialYear } from '../receipts/receipts.rules.ts'
import { type ReportOutcome, type PaymentContext, providerOf } from './context.ts'
import { knownHolidays } from './holidays.service.ts'
import {
  readRecords,
  type PaymentRecord,
  claimProviderPayment,
  movePayment,
  canBePaid,
  findUnderWay,
  endCheck,
  toCheck,
} from './payments.store.ts'
import {
  assertMove,
  atProvider,
  checkAfterFailure,
  decide,
  nextCheck,
  settleDueOn,
  type Decision,
  type Payment,
  AMOUNT_DIFFERS,
  ABANDONED,
  ABANDONED_AFTER_MS,
  isDebit,
  isNoNews,
  nextCheckOf,
  shouldClosePage,
  TAKEN_OVER,
} from './payments.rules.ts'
import * as store from './payments.store.ts'
import { refundDuplicate } from './refunds/refunds.service.ts'
import { insertExceptions } from './settlements/settlements.store.ts'
import { setTimeout as wait } from 'node:timers/promises'
import { isUnavailable } from '../platform/errors.ts'
import type { Run } from '../platform/jobs/job.ts'
import { processDue, type LeaseEnd } from '../platform/jobs/due-rows.ts'

/**
 * Applies what a provider says, however often and in whatever order it says it, to all that the payment at the bank is for.
 * `ifStill` is a payment that was checked: the report counts only if nobody has checked or sent that one since, or it may be
 * out of date. `through` is the account that reports, which speaks for its own payments alone.
 */
export async function applyReport(
  ctx: PaymentContext,
  report: PaymentReport,
  { ifStill, through }: { ifStill?: Pick<Payment, 'id' | 'checks'>; through?: string } = {},
): Promise<Decision['kind'] | Exclude<ReportOutcome, 'applied'>> {
  const apply = async (tx: Transaction) => {
    const locked = await store.lockWithOrders(tx, report.instituteId, report.paymentId)
    const [first] = locked
    if (through !== undefined && first?.payment.accountId !== through)
      return first === undefined ? 'unknown' : 'foreign'
    const checked = locked.find(({ payment }) => payment.id === ifStill?.id)
    if (ifStill !== undefined && checked?.payment.checks !== ifStill.checks) return 'nothing'
    const askedPaise = sumPaise(locked.map(({ payment }) => payment.amountPaise))
    const decided = locked.map(({ payment, order }) => ({
      // If the answer to our start was lost, this is the first we hear of the provider's name for it.
      payment: { ...payment, providerRef: payment.providerRef ?? (report.providerRef || null) },
      order,
      decision: decide(payment, report.outcome, order.state === 'paid', askedPaise),
    }))
    const [counted] = decided
    const isNews = decided.some(({ decision: { kind } }) => kind === 'capture' || kind === 'mismatch')
    if (counted !== undefined && isNews && !(await isCountedHere(ctx, tx, counted.payment, report.outcome)))
      return 'nothing'
    for (const one of decided) await perform(ctx, tx, one, one.decision, askedPaise)
    // The counter of receipts is what a transaction locks last: see moveWithReceipt.
    for (const one of decided)
      if (one.decision.kind === 'capture') await move(ctx, tx, one.payment, one.decision)
    return decided[0]?.decision.kind ?? 'nothing'
  }
  return ctx.db.transaction(apply, { keepsPlans: true })
}

/**
 * The signature says that the provider wrote a report, not that nobody changed what it is about: people with access to its
 * dashboard write the notes that name our payment. Money that is counted for another payment is for a person to look at.
 */
async function isCountedHere(
  ctx: PaymentContext,
  tx: Transaction,
  payment: Payment,
  outcome: PaymentOutcome,
): Promise<boolean> {
  if (outcome.kind !== 'captured' || outcome.providerPaymentId === undefined) return true
  const { provider, accountId } = payment
  // An account of the whole installation has the provider's name as its id, and stands under institute 0.
  const instituteId = accountId === provider ? 0 : payment.instituteId
  const at = { instituteId, accountId, providerPaymentId: outcome.providerPaymentId }
  const { paymentId } = atProvider(payment)
  const countedFor = await claimProviderPayment(tx, at, paymentId)
  if (countedFor === paymentId) return true
  await insertExceptions(tx, [
    {
      instituteId,
      provider,
      accountId,
      utr: '',
      providerRef: outcome.providerPaymentId,
      problem: `reported for payment ${paymentId}, and counted for ${countedFor} before`,
      reportedPaise: outcome.amountPaise,
      knownPaise: null,
      noticedAt: ctx.clock.now(),
    },
  ])
  return false
}

async function perform(
  ctx: PaymentContext,
  tx: Transaction,
  { payment, order }: store.LockedPayment,
  decision: Decision,
  askedPaise: Paise,
): Promise<void> {
  const now = ctx.clock.now()
  switch (decision.kind) {
    case 'nothing':
      return
    case 'pending':
      assertMove(payment.state, 'pending')
      return store.movePayment(tx, payment, { state: 'pending', nextCheckAt: nextCheck(payment.checks, now) })
    case 'fail':
      return fail(ctx, tx, { payment, order }, decision)
    case 'mismatch':
      return recordMismatch(tx, payment, { reportedPaise: decision.reportedPaise, askedPaise, now })
    case 'capture':
      return capture(ctx, tx, { payment, order }, decision)
    default:
      return assertNever(decision)
  }
}

async function fail(
  ctx: PaymentContext,
  tx: Transaction,
  { payment, order }: store.LockedPayment,
  { code, message }: Extract<Decision, { kind: 'fail' }>,
): Promise<void> {
  assertMove(payment.state, 'failed')
  const now = ctx.clock.now()
  await store.movePayment(tx, payment, {
    state: 'failed',
    failure: { code, message },
    nextCheckAt: checkAfterFailure(payment.checks, now),
  })
  const failed: Payment = { ...payment, state: 'failed', failureCode: code, failureMessage: message }
  await ctx.paymentHandlers[order.kind].failed(tx, { payment: failed, code, message }, now)
}

type Capture = Extract<Decision, { kind: 'capture' }>

/** What follows from the money, in a transaction that has locked both; the payment itself is moved last. */
export async function capture(
  ctx: PaymentContext,
  tx: Transaction,
  { payment, order }: store.LockedPayment,
  { outcome, isDuplicate }: Capture,
): Promise<void> {
  assertMove(payment.state, 'captured')
  const { instituteId, orderId } = payment
  const { mode, transactionId, capturedAt } = outcome
  const captured: Payment = { ...payment, state: 'captured', mode, transactionId, capturedAt, isDuplicate }
  const posted = post(tx, instituteId, captureOf(payment.id, payment.amountPaise, isDuplicate), capturedAt)
  if (isDuplicate) {
    await posted
    return refundDuplicate(tx, captured, capturedAt)
  }
  const unpaid = { id: orderId, state: order.state }
  const [paid] = await Promise.all([
    markPaid(tx, instituteId, unpaid, { paymentId: payment.id, transactionId, paidAt: capturedAt }),
    posted,
  ])
  await ctx.paymentHandlers[order.kind].captured(tx, { payment: captured, order: paid }, capturedAt)
}

/** The counter of receipts is what a transaction locks last. */
export async function move(
  ctx: PaymentContext,
  tx: Transaction,
  payment: Payment,
  { outcome: { mode, transactionId, capturedAt }, isDuplicate }: Capture,
): Promise<void> {
  const moved = {
    state: 'captured' as const,
    mode,
    transactionId,
    capturedAt,
    isDuplicate,
    settleDueOn: settleDueOn(capturedAt, await knownHolidays(ctx.db, tx)),
    nextCheckAt: null,
  }
  if (isDuplicate) await store.movePayment(tx, payment, moved)
  else {
    store.moveWithReceipt(tx, payment, moved, financialYear(dayOf(capturedAt)))
    tx.notify('receipts')
  }
}

export type { PaymentRecord } from './payments.store.ts'

/** Every try to pay an order, the oldest first, with settlement and receipt. */
export async function listPaymentRecords(
  ctx: PaymentContext,
  instituteId: number,
  orderId: string,
): Promise<PaymentRecord[]> {
  return readRecords(ctx.db, instituteId, orderId)
}

/** All payments of an order, newest first. */
export async function listPayments(
  ctx: PaymentContext,
  instituteId: number,
  orderId: string,
): Promise<Payment[]> {
  return store.listPayments(ctx.db, instituteId, orderId)
}

/** Whether a payer may still be paying it; money that comes then belongs to it. */
export async function isBeingPaid(tx: Transaction, instituteId: number, orderId: string): Promise<boolean> {
  return (await store.findUnderWay(tx, instituteId, orderId)) !== null
}

export async function findPayment(
  ctx: PaymentContext,
  instituteId: number,
  id: string,
): Promise<Payment | null> {
  return store.readPayment(ctx.db, instituteId, id)
}

/**
 * Money came, but not what was asked for: nobody here can say what it pays. A person is shown it at once, and the payer is
 * told not to pay again; a payment that failed here before stays as it is.
 */
async function recordMismatch(
  tx: Transaction,
  payment: Payment,
  { reportedPaise, askedPaise, now }: { reportedPaise: Paise; askedPaise: Paise; now: Date },
): Promise<void> {
  const { instituteId, provider, accountId, orderId, providerRef } = payment
  await insertExceptions(tx, [
    {
      instituteId,
      provider,
      accountId,
      utr: '',
      // One row for all that are paid at once: the first says it.
      providerRef: providerRef ?? atProvider(payment).paymentId,
      problem: `paid with another amount than order ${orderId} asks for`,
      reportedPaise,
      knownPaise: askedPaise,
      noticedAt: now,
    },
  ])
  if (payment.state === 'failed' || payment.failureCode === AMOUNT_DIFFERS) return
  const message = `${formatRupees(reportedPaise)} came instead of ${formatRupees(askedPaise)}.`
  await movePayment(tx, payment, {
    state: 'pending',
    failure: { code: AMOUNT_DIFFERS, message },
    nextCheckAt: nextCheck(payment.checks, now),
  })
}

/** Asks the provider about payments whose end is not known. */
export function checkPayments(ctx: PaymentContext): Run {
  return processDue(ctx, toCheck, payment => checkPayment(ctx, payment))
}

async function checkPayment(ctx: PaymentContext, payment: Payment): Promise<LeaseEnd | void> {
  const now = ctx.clock.now()
  const report = await askProvider(ctx, payment)
  const isAbandoned =
    report.outcome.kind === 'open' && now.getTime() - payment.createdAt.getTime() > ABANDONED_AFTER_MS
  const outcome = { kind: 'failed' as const, code: ABANDONED, message: 'The payment was not completed.' }
  if (isAbandoned) await applyReport(ctx, { ...report, outcome }, { ifStill: payment })
  else if (!isNoNews(payment, report.outcome)) await applyReport(ctx, report)
  const next = payment.state === 'failed' ? checkAfterFailure(payment.checks, now) : nextCheckOf(payment, now)
  const isReleased = await endCheck(ctx.db, payment, next)
  await closePage(ctx, payment, { outcome: report.outcome, isAbandoned, isLastCheck: next === null })
  return isReleased ? 'released' : undefined
}

/** Closes the provider's page. The rows of order and payment ask for it, so if the provider is down the next check tries again. */
async function closePage(
  ctx: PaymentContext,
  payment: Payment,
  {
    outcome,
    isAbandoned,
    isLastCheck,
  }: { outcome: PaymentOutcome; isAbandoned: boolean; isLastCheck: boolean },
): Promise<void> {
  const { failureCode } = payment
  // Asked by its mode: a start whose answer was lost has a page too, only its address is not known here.
  if (isDebit(payment)) return
  const isGivenUp = isAbandoned || failureCode === ABANDONED || failureCode === TAKEN_OVER
  const isOrderOpen = await canBePaid(ctx.db, payment, ctx.clock.now())
  const now = { outcome, isOrderOpen, isGivenUp, isLastCheck }
  if (!shouldClosePage(payment, now)) return
  const provider = await providerOf(ctx, payment)
  await provider.closePage?.(atProvider(payment)).catch((err: unknown) => {
    if (!isUnavailable(err)) throw err
  })
}

const RETURN_WAIT_MS = 4_000

/**
 * A payer is back from the provider's page and its callback has not come: the provider is asked at once, so that nobody who
 * has paid is asked to pay. It waits for an answer for some seconds only; whatever fails, the job asks again.
 */
export async function checkReturned(
  ctx: PaymentContext,
  instituteId: number,
  orderId: string,
): Promise<void> {
  const payment = await findUnderWay(ctx.db, instituteId, orderId)
  if (payment === null) return
  const asked = askProvider(ctx, payment)
    .then(report => applyReport(ctx, report))
    .catch((error: unknown) => {
      if (!isUnavailable(error) && !(error instanceof ProviderRefused)) throw error
    })
  await Promise.race([asked, wait(RETURN_WAIT_MS, undefined, { ref: false })])
}

async function askProvider(ctx: PaymentContext, payment: Payment): Promise<PaymentReport> {
  const provider = await providerOf(ctx, payment)
  return provider.status(atProvider(payment))
}

export async function nextCheckDue(ctx: PaymentContext): Promise<Date | null> {
  return toCheck.nextDue(ctx.db)
}
