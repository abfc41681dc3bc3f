import type { Institute } from '../institutes/institutes.rules.ts'
import { captureOf } from '../ledger/ledger.rules.ts'
import { post } from '../ledger/ledger.service.ts'
import { markPaid } from '../orders/order-payments.service.ts'
import { stateAt, type Order } from '../orders/orders.rules.ts'
import { findOrder } from '../orders/orders.service.ts'
import { assertNever } from '../platform/assert.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Transaction } from '../platform/db/database.ts'
import { conflict, notFound, unavailable } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { knownHolidays } from './holidays.service.ts'
import {
  assertMove,
  checkAfterFailure,
  decide,
  describeOrder,
  newPayment,
  nextCheck,
  payableUntil,
  settleDueOn,
  TAKEN_OVER,
  type Decision,
  type Payment,
} from './payments.rules.ts'
import { readRecords, type PaymentRecord } from './payment-records.store.ts'
import * as store from './payments.store.ts'
import type { PaymentMode, PaymentReport } from '../providers/port.ts'
import { ProviderRefused } from '../providers/refused.ts'
import { refundDuplicate } from './refunds/refunds.service.ts'
import { recordMismatch } from './mismatches/mismatch.service.ts'
import { accountToPay } from './offers.service.ts'
import { providerOf, type PaymentContext } from './context.ts'
import { financialYear } from '../receipts/receipts.rules.ts'

/**
 * Starts a payment or takes up the one under way: a second tab, a double click and a reload all end at the same
 * payment. The intent is committed before the provider is asked; if its answer is lost, the reconciler finds out.
 */
export async function startPayment(
  ctx: PaymentContext,
  institute: Institute,
  orderId: string,
  options: { mode: PaymentMode; returnUrl: string },
): Promise<Payment> {
  const { payment, order } = await openPayment(ctx, institute, orderId, options.mode)
  if (payment.redirectUrl !== null) return payment
  const provider = await providerOf(ctx, payment)
  const request = {
    instituteId: institute.id,
    collectorCode: order.collectorCode,
    paymentId: payment.id,
    amountPaise: payment.amountPaise,
    mode: options.mode,
    payer: { name: order.name, phone: order.phone, email: order.email },
    payableUntil: payableUntil(order, ctx.clock.now()),
    description: describeOrder(order),
    returnUrl: options.returnUrl,
  }
  const started = await provider.start(request).catch((error: unknown) => endRefused(ctx, payment, error))
  await store.recordStarted(ctx.db, payment, started)
  return { ...payment, ...started }
}

/** The provider will refuse it again, so the payment has failed with the provider's reason, and another may start. */
async function endRefused(ctx: PaymentContext, payment: Payment, error: unknown): Promise<never> {
  if (!(error instanceof ProviderRefused)) throw error
  const { instituteId, id: paymentId } = payment
  const outcome = { kind: 'failed' as const, code: 'refused', message: error.message }
  await applyReport(ctx, { about: 'payment', instituteId, paymentId, providerRef: '', outcome })
  throw conflict(`The payment provider does not take this payment: ${error.message}`)
}

const OPENING_TRIES = 3

/**
 * Decides on the order as it is read and writes only if it is still so: one short statement instead of a transaction
 * around the two. Refused without a payment under way, something has moved in between and all is looked at again.
 */
async function openPayment(
  ctx: PaymentContext,
  institute: Institute,
  orderId: string,
  mode: PaymentMode,
): Promise<{ payment: Payment; order: Order }> {
  const { db } = ctx
  for (let left = OPENING_TRIES; left > 0; left--) {
    const now = ctx.clock.now()
    const order = await findOrder(ctx, institute, orderId)
    if (order === null) throw notFound('This order')
    const state = stateAt(order, now)
    if (state !== 'unpaid') throw conflict(`No payment can start: it is ${state}.`)
    if ((await ctx.paymentHandlers[order.kind].mayStart?.(institute.id, order)) === false) {
      throw conflict('No payment can start: what was due has changed.')
    }
    const account = await accountToPay(ctx, institute.id, order, mode)
    if (account !== null) {
      const { id: accountId, provider } = account
      const payment = newPayment(institute.id, order, {
        id: newId('pay'),
        provider,
        accountId,
        mode,
        at: now,
      })
      if (await store.insertPayment(db, payment, { orderState: state, nextCheckAt: nextCheck(0, now) }))
        return { payment, order }
    }
    const underWay = await store.findUnderWay(db, institute.id, orderId)
    if (underWay !== null) return { payment: underWay, order }
    if (account === null) throw conflict('Online payment is not set up for this installation.')
  }
  throw unavailable('Other payments of this order end at this moment. Please retry.')
}

/**
 * Applies what a provider says, however often and in whatever order it says it. With a number of checks, only if the
 * payment has not been checked or sent since: what was heard before that may be out of date.
 */
export async function applyReport(
  ctx: PaymentContext,
  report: PaymentReport,
  ifChecks?: number,
): Promise<Decision['kind']> {
  return ctx.db.transaction(async tx => {
    const locked = await store.lockWithOrder(tx, report.instituteId, report.paymentId)
    if (locked === null || (ifChecks !== undefined && locked.payment.checks !== ifChecks)) return 'nothing'
    const { order } = locked
    // If the answer to our start was lost, this is the first we hear of the provider's name for it.
    const providerRef = locked.payment.providerRef ?? (report.providerRef || null)
    const payment = { ...locked.payment, providerRef }
    const decision = decide(payment, report.outcome, order.state === 'paid')
    await perform(ctx, tx, { payment, order }, decision)
    return decision.kind
  })
}

async function perform(
  ctx: PaymentContext,
  tx: Transaction,
  { payment, order }: store.Locked,
  decision: Decision,
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
      return recordMismatch(tx, payment, decision.reportedPaise, now)
    case 'capture':
      return capture(ctx, tx, { payment, order }, decision)
    default:
      return assertNever(decision)
  }
}

async function fail(
  ctx: PaymentContext,
  tx: Transaction,
  { payment, order }: store.Locked,
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

async function capture(
  ctx: PaymentContext,
  tx: Transaction,
  { payment, order }: store.Locked,
  { outcome, isDuplicate }: Extract<Decision, { kind: 'capture' }>,
): Promise<void> {
  assertMove(payment.state, 'captured')
  const { instituteId, orderId } = payment
  const { mode, transactionId, capturedAt } = outcome
  const captured: Payment = { ...payment, state: 'captured', mode, transactionId, capturedAt, isDuplicate }
  const move = {
    state: captured.state,
    mode,
    transactionId,
    capturedAt,
    isDuplicate,
    settleDueOn: settleDueOn(capturedAt, await knownHolidays(ctx.db, tx)),
    nextCheckAt: null,
  }
  const posted = post(tx, instituteId, captureOf(payment.id, payment.amountPaise, isDuplicate), capturedAt)
  if (isDuplicate) {
    await Promise.all([posted, store.movePayment(tx, payment, move)])
    await refundDuplicate(tx, captured, capturedAt)
    return
  }
  const unpaid = { id: orderId, state: order.state }
  const [paid] = await Promise.all([
    markPaid(tx, instituteId, unpaid, { paymentId: payment.id, transactionId, paidAt: capturedAt }),
    posted,
  ])
  await ctx.paymentHandlers[order.kind].captured(tx, { payment: captured, order: paid }, capturedAt)
  store.moveWithReceipt(tx, payment, move, financialYear(dayOf(capturedAt)))
}

/**
 * Ends payments that were started and not finished, because another takes their place. Their payers may still be at the
 * bank's page: money that comes from them all the same counts.
 */
export async function giveUpStarted(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  if (ids.length === 0) return
  const failure = { code: TAKEN_OVER, message: 'Another payment was started in its place.' }
  await store.giveUpStarted(tx, instituteId, ids, { failure, nextCheckAt: nextCheck(0, now) })
}

/** A payer who comes back may choose another way; what the bank has reported something about stays. */
export async function giveUpOtherMode(
  ctx: PaymentContext,
  instituteId: number,
  order: Order,
  mode: PaymentMode,
): Promise<void> {
  const underWay = await store.findUnderWay(ctx.db, instituteId, order.id)
  if (underWay === null || underWay.mode === mode) return
  if ((await accountToPay(ctx, instituteId, order, mode)) === null) return
  await ctx.db.transaction(tx => giveUpStarted(tx, instituteId, [underWay.id], ctx.clock.now()))
}

export type { PaymentRecord } from './payment-records.store.ts'

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
