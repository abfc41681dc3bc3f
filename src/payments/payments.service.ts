import type { Institute } from '../institutes/institutes.rules.ts'
import { recordEvents } from '../journal/events.service.ts'
import { captureOf } from '../journal/ledger.rules.ts'
import { post } from '../journal/ledger.service.ts'
import { lockOrder, markPaid } from '../orders/order-payments.service.ts'
import { stateAt, totalOf, type Order } from '../orders/orders.rules.ts'
import { assert, assertNever } from '../platform/assert.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Transaction } from '../platform/db.ts'
import { conflict, notFound } from '../platform/errors.ts'
import { eachByItself } from '../platform/each.ts'
import { newId } from '../platform/ids.ts'
import { paymentEvents } from './payment-events.ts'
import {
  ABANDONED_AFTER_MS,
  assertMove,
  checkAfterFailure,
  decide,
  describeOrder,
  financialYear,
  nextCheck,
  settleDueOn,
  type Decision,
  type Payment,
} from './payments.rules.ts'
import * as store from './payments.store.ts'
import type { PaymentMode, PaymentReport } from './provider.ts'
import { issueReceipt } from './receipts.store.ts'
import { refundDuplicate } from './refunds.service.ts'
import { providerOf, type Till } from './till.ts'

/**
 * Starts a payment or takes up the one under way: a second tab, a double click and a reload all end at the same
 * payment. The intent is committed before the provider is asked; if its answer is lost, the janitor finds out.
 */
export async function startPayment(
  till: Till,
  institute: Institute,
  orderId: string,
  options: { mode: PaymentMode; returnUrl: string },
): Promise<Payment> {
  const { payment, order } = await till.db.transaction(async tx =>
    openPayment(till, tx, institute, orderId, options.mode),
  )
  if (payment.redirectUrl !== null) return payment
  const started = await providerOf(till, payment.provider).start({
    instituteId: institute.id,
    collectorCode: order.collectorCode,
    paymentId: payment.id,
    amountPaise: payment.amountPaise,
    mode: options.mode,
    payer: { name: order.name, phone: order.phone, email: order.email },
    description: describeOrder(order),
    returnUrl: options.returnUrl,
  })
  await store.recordStarted(till.db, payment, started)
  return { ...payment, ...started }
}

async function openPayment(
  till: Till,
  tx: Transaction,
  institute: Institute,
  orderId: string,
  mode: PaymentMode,
): Promise<{ payment: Payment; order: Order }> {
  const now = till.clock.now()
  const order = await lockOrder(tx, institute.id, orderId)
  if (order === null) throw notFound('This order')
  const state = stateAt(order, now)
  if (state !== 'unpaid') throw conflict(`No payment can start: it is ${state}.`)
  const [latest] = await store.listPayments(tx, institute.id, orderId)
  if (latest !== undefined && isUnderWay(latest)) return { payment: latest, order }
  if (till.currentProvider === null) throw conflict('Online payment is not set up for this installation.')
  const payment: Payment = {
    instituteId: institute.id,
    id: newId('pay'),
    orderId,
    provider: till.currentProvider,
    state: 'created',
    amountPaise: totalOf(order),
    mode,
    providerRef: null,
    redirectUrl: null,
    transactionId: null,
    failureCode: null,
    failureMessage: null,
    isDuplicate: false,
    createdAt: now,
    capturedAt: null,
    settlementId: null,
    checks: 0,
  }
  const isNew = await store.insertPayment(tx, payment, nextCheck(0, now))
  assert(isNew, `the order ${orderId} had another payment under way`)
  return { payment, order }
}

function isUnderWay(payment: Payment): boolean {
  return payment.state === 'created' || payment.state === 'pending'
}

/** Applies what a provider says, however often and in whatever order it says it. */
export async function applyReport(till: Till, report: PaymentReport): Promise<Decision['kind']> {
  return till.db.transaction(async tx => {
    const known = await store.findPayment(tx, report.instituteId, report.paymentId)
    if (known === null) return 'nothing'
    // Order first, then payment: every act on the two locks them in this order.
    const order = await lockOrder(tx, known.instituteId, known.orderId)
    const locked = await store.lockPayment(tx, known.instituteId, known.id)
    if (order === null || locked === null) throw new Error(`the payment ${known.id} lost its order`)
    // If the answer to our start was lost, this is the first we hear of the provider's name for it.
    const payment = { ...locked, providerRef: locked.providerRef ?? (report.providerRef || null) }
    const decision = decide(payment, report.outcome, order.state === 'paid')
    await perform(till, tx, { payment, order }, decision)
    return decision.kind
  })
}

async function perform(
  till: Till,
  tx: Transaction,
  { payment, order }: { payment: Payment; order: Order },
  decision: Decision,
): Promise<void> {
  const now = till.clock.now()
  switch (decision.kind) {
    case 'nothing':
      return
    case 'pending':
      assertMove(payment.state, 'pending')
      return store.movePayment(tx, payment, { state: 'pending', nextCheckAt: nextCheck(payment.checks, now) })
    case 'fail':
      assertMove(payment.state, 'failed')
      return store.movePayment(tx, payment, {
        state: 'failed',
        failure: decision,
        nextCheckAt: checkAfterFailure(payment.checks, now),
      })
    case 'mismatch':
      // Not ours to interpret: it stays open and the reconciliation shows it.
      return
    case 'capture':
      return capture(tx, { payment, order }, decision)
    default:
      return assertNever(decision)
  }
}

async function capture(
  tx: Transaction,
  { payment, order }: { payment: Payment; order: Order },
  { outcome, isDuplicate }: Extract<Decision, { kind: 'capture' }>,
): Promise<void> {
  assertMove(payment.state, 'captured')
  const { mode, transactionId, capturedAt } = outcome
  await store.movePayment(tx, payment, {
    state: 'captured',
    mode,
    transactionId,
    capturedAt,
    isDuplicate,
    settleDueOn: settleDueOn(capturedAt, await store.readHolidays(tx)),
    nextCheckAt: null,
  })
  const captured: Payment = { ...payment, state: 'captured', mode, transactionId, capturedAt, isDuplicate }
  await post(tx, payment.instituteId, captureOf(payment.id, payment.amountPaise, isDuplicate), capturedAt)
  if (isDuplicate) {
    await refundDuplicate(tx, captured, order, capturedAt)
    return
  }
  const paid = await markPaid(tx, payment.instituteId, order, { transactionId, paidAt: capturedAt })
  await issueReceipt(tx, payment.instituteId, {
    financialYear: financialYear(dayOf(capturedAt)),
    paymentId: payment.id,
    issuedAt: capturedAt,
  })
  await recordEvents(tx, paymentEvents(captured, paid, { happened: 'debited', at: capturedAt }))
}

const LEASE_MS = 60_000

/** Asks the provider about payments whose end is not known; answers how many it asked about. */
export async function checkPayments(till: Till, limit: number): Promise<number> {
  const now = till.clock.now()
  const claimed = await store.claimToCheck(till.db, now, new Date(now.getTime() + LEASE_MS), limit)
  await eachByItself(claimed, payment => checkPayment(till, payment))
  return claimed.length
}

async function checkPayment(till: Till, payment: Payment): Promise<void> {
  const now = till.clock.now()
  const report = await providerOf(till, payment.provider).status({
    instituteId: payment.instituteId,
    paymentId: payment.id,
    providerRef: payment.providerRef,
  })
  const isAbandoned =
    report.outcome.kind === 'open' && now.getTime() - payment.createdAt.getTime() > ABANDONED_AFTER_MS
  const outcome = isAbandoned
    ? { kind: 'failed' as const, code: 'abandoned', message: 'The payment was not completed.' }
    : report.outcome
  await applyReport(till, { ...report, outcome })
  const next =
    payment.state === 'failed' ? checkAfterFailure(payment.checks, now) : nextCheck(payment.checks, now)
  await store.setNextCheck(till.db, payment, next)
}

export async function nextCheckDue(till: Till): Promise<Date | null> {
  return store.nextCheckDue(till.db)
}

/** All payments of an order, newest first. */
export async function listPayments(till: Till, instituteId: number, orderId: string): Promise<Payment[]> {
  return store.listPayments(till.db, instituteId, orderId)
}

export async function findPayment(till: Till, instituteId: number, id: string): Promise<Payment | null> {
  return store.findPayment(till.db, instituteId, id)
}
