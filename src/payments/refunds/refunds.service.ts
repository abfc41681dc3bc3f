import { forgetRefund } from '../../institutes/institutes.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { recordEvents } from '../../events/events.service.ts'
import { duplicateRefundOf, refundRequestOf, refundResultOf } from '../../ledger/ledger.rules.ts'
import { post } from '../../ledger/ledger.service.ts'
import { lockOrder, markRefunded, markRefundFailed } from '../../orders/order-payments.service.ts'
import { requireOrderAt, type Order, type OrderAddress } from '../../orders/orders.rules.ts'
import type { Transaction, Queryable } from '../../platform/db/database.ts'
import { conflict } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import type { Run } from '../../platform/jobs/job.ts'
import { processDue } from '../../platform/jobs/due-rows.ts'
import { sumPaise, type Paise, subtractPaise } from '../../platform/money.ts'
import { refundEvent } from '../payment.events.ts'
import { type PaidOrder, providerOf, type PaymentContext } from '../context.ts'
import { ACCOUNT_CLOSED, atProvider, UNKNOWN_REMITTER, type Payment } from '../payments.rules.ts'
import { findPayment, lockPaying } from '../payments.store.ts'
import { ProviderRefused, type RefundReport } from '../../providers/port.ts'
import {
  newRefund,
  refundableOf,
  refundLines,
  type AskedRefund,
  type Refund,
  type RefundCause,
  type RefundLine,
  returnedLines,
} from './refunds.rules.ts'
import * as store from './refunds.store.ts'
import { insertAskedRefund } from '../parts/parts.service.ts'
import { toLinkedParts } from '../parts/parts.rules.ts'
import { listRefundParts } from '../parts/parts.store.ts'
import { statusOf } from '../disputes/disputes.rules.ts'
import { listStanding } from '../disputes/disputes.store.ts'
import { insertExceptions, type Exception } from '../settlements/settlements.store.ts'
import { holdAdvances, payFromAdvances } from '../../fees/advances/advances.service.ts'
import { joinCatalogue } from '../../institutes/catalogue.service.ts'
import { addToFee, holdStudent } from '../../students/profile/lock-student.service.ts'
import { RETURNED_AFTER_REFUND } from '../../fees/fees.rules.ts'
import { addAll } from '../../platform/lists.ts'

/** A refund and what could still be refunded before it, both read under the lock of the order. */
export type RequestedRefund = Refund & { refundableBeforePaise: Paise }

/** Writes the refund down; the worker asks the provider for it. Never above what was paid less earlier refunds. */
export async function requestRefund(
  ctx: PaymentContext,
  command: Command<RequestedRefund>,
  target: { institute: Institute; address?: OrderAddress; orderId: string },
  asked: AskedRefund,
): Promise<RequestedRefund> {
  const { institute, address, orderId } = target
  return transact(ctx.db, command, async tx => {
    const order = requireOrderAt(await lockOrder(tx, institute.id, orderId), address)
    const payment = await lockPaying(tx, institute.id, orderId)
    if (payment === null) throw conflict('Nothing has been paid yet, so there is nothing to refund.')
    const refusal = ctx.paymentHandlers[order.kind].refundRefusal?.(payment) ?? null
    if (refusal !== null) throw conflict(refusal)
    await assertUndisputed(tx, payment)
    return askForRefund(ctx, tx, { payment, order }, asked)
  })
}

/** The transaction has locked order and payment, and the payment can be refunded. */
export async function askForRefund(
  ctx: PaymentContext,
  tx: Transaction,
  { payment, order }: PaidOrder,
  asked: AskedRefund,
): Promise<RequestedRefund> {
  const { instituteId } = payment
  const earlier = await store.listRefunds(tx, instituteId, payment.id)
  const lines = await linesOfRefund(tx, { payment, order }, earlier, asked)
  const { reason } = asked
  const requestedAt = ctx.clock.now()
  const refund = openRefund(payment, { kind: 'requested', lines, reason, cause: null, requestedAt })
  await insertAskedRefund(tx, refund, payment)
  await markRefunded(tx, instituteId, order, { lines, at: requestedAt })
  if (asked.lines === null) await takeAdvanceFirst(tx, { payment, order }, lines, requestedAt)
  await post(tx, instituteId, refundRequestOf(refund.id, refund.amountPaise), requestedAt)
  const refunded = { payment, order, lines, outcome: 'requested' } as const
  await ctx.paymentHandlers[order.kind].refunded?.(tx, refunded, requestedAt)
  return { ...refund, refundableBeforePaise: refundableOf(payment, earlier) }
}

/** A second capture for a paid order goes back by itself, in the transaction that recorded it. */
export async function refundDuplicate(tx: Transaction, payment: Payment, at: Date): Promise<void> {
  const order = await lockOrder(tx, payment.instituteId, payment.orderId)
  if (order === null) throw new Error(`the payment ${payment.id} lost its order`)
  const all = refundLines(order, [], { amountPaise: payment.amountPaise, lines: null })
  const why = { reason: 'paid twice', cause: 'paid_twice' } as const
  const refund = openRefund(payment, { kind: 'duplicate', lines: all, ...why, requestedAt: at })
  await insertAskedRefund(tx, refund, payment)
}

/** Money that pays nothing, because it came with another amount than asked, to an account that is closed or from somebody unknown, goes back whole. */
export async function refundMismatched(
  tx: Transaction,
  paid: { payment: Payment; order: Order },
  at: Date,
): Promise<void> {
  const { amountPaise, failureCode } = paid.payment
  const why =
    failureCode === ACCOUNT_CLOSED
      ? { reason: 'came to an account number that is closed', cause: null }
      : failureCode === UNKNOWN_REMITTER
        ? { reason: 'came from somebody whom the school does not know', cause: null }
        : { reason: 'another amount than was asked for', cause: 'other_amount' as const }
  await refundByItself(tx, paid, { amountPaise, ...why, at })
}

/** Refunds what a dispute did not take of a second payment. */
export async function refundRest(
  tx: Transaction,
  paid: { payment: Payment; order: Order },
  { amountPaise, at }: { amountPaise: Paise; at: Date },
): Promise<void> {
  await refundByItself(tx, paid, { amountPaise, reason: 'paid twice', cause: 'paid_twice', at })
}

async function refundByItself(
  tx: Transaction,
  { payment, order }: { payment: Payment; order: Order },
  { amountPaise, at, ...why }: Pick<Refund, 'amountPaise' | 'reason' | 'cause'> & { at: Date },
): Promise<void> {
  const [line] = order.lines
  if (line === undefined) throw new Error(`the order ${order.id} has no lines`)
  const lines = [{ lineNo: 1, componentType: line.componentType, amountPaise }]
  await insertAskedRefund(
    tx,
    openRefund(payment, { kind: 'duplicate', lines, ...why, requestedAt: at }),
    payment,
  )
}

/** The same once more, after the bank or the provider refused it. */
export async function refundAgain(tx: Transaction, failed: Refund, at: Date): Promise<void> {
  const payment = await findPayment(tx, failed.instituteId, failed.paymentId)
  if (payment === null) throw new Error(`${failed.id} lost its payment`)
  const { kind, lines, reason, cause } = failed
  await insertAskedRefund(tx, openRefund(payment, { kind, lines, reason, cause, requestedAt: at }), payment)
}

/** Refunds the part of a payment that nobody owed, in the transaction that recorded the payment. */
export async function refundExcess(
  tx: Transaction,
  { payment, order }: { payment: Payment; order: Order },
  { excess, cause, at }: { excess: AskedRefund['lines'] & object; cause: RefundCause; at: Date },
): Promise<void> {
  const lines = refundLines(order, [], { amountPaise: null, lines: excess })
  const refund = openRefund(payment, {
    kind: 'requested',
    lines,
    reason: 'more than was due',
    cause,
    requestedAt: at,
  })
  await insertAskedRefund(tx, refund, payment)
  await markRefunded(tx, payment.instituteId, order, { lines, at })
  await post(tx, payment.instituteId, refundRequestOf(refund.id, refund.amountPaise), at)
}

export async function getRefund(
  { db }: Pick<PaymentContext, 'db'>,
  instituteId: number,
  id: string,
): Promise<Refund | null> {
  return store.findRefund(db, instituteId, id)
}

export async function listRefunds(
  ctx: PaymentContext,
  instituteId: number,
  orderId: string,
): Promise<Refund[]> {
  return store.listRefundsOfOrder(ctx.db, instituteId, orderId)
}

/** Sends refunds that are due to the provider; the refund's id keeps a repeat from paying twice. */
export function sendRefunds(ctx: PaymentContext): Run {
  return processDue(ctx, store.toTry, refund => sendRefund(ctx, refund))
}

async function sendRefund(ctx: PaymentContext, refund: Omit<Refund, 'lines'>): Promise<void> {
  const payment = await findPayment(ctx.db, refund.instituteId, refund.paymentId)
  if (payment === null) throw new Error(`the refund ${refund.id} lost its payment`)
  const { instituteId, id } = refund
  const parts = payment.isSplit ? toLinkedParts(await listRefundParts(ctx.db, instituteId, [id])) : []
  const request = {
    instituteId: refund.instituteId,
    refundId: refund.id,
    payment: { paymentId: atProvider(payment).paymentId, providerRef: payment.providerRef ?? '' },
    amountPaise: refund.amountPaise,
    ...(parts.length === 0 ? {} : { parts }),
  }
  try {
    await applyRefundReport(ctx, await (await providerOf(ctx, payment)).refund(request))
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    await applyRefundReport(ctx, {
      about: 'refund',
      instituteId: refund.instituteId,
      refundId: refund.id,
      providerRef: '',
      outcome: { kind: 'failed', message: error.message },
    })
  }
}

/** Asks again for those of these refunds whose end is not known here. */
export async function sendAgain(
  ctx: PaymentContext,
  at: { instituteId: number; accountId: string },
  ids: readonly string[],
): Promise<void> {
  for (const refund of await store.listPending(ctx.db, at, ids)) await sendRefund(ctx, refund)
}

export async function nextTryDue(ctx: PaymentContext): Promise<Date | null> {
  return store.toTry.nextDue(ctx.db)
}

/** Applies what a provider says of a refund, once. */
export async function applyRefundReport(ctx: PaymentContext, report: RefundReport): Promise<void> {
  const { outcome } = report
  if (outcome.kind === 'pending') return
  await ctx.db.transaction(async tx => {
    const known = await store.findRefund(tx, report.instituteId, report.refundId)
    if (known === null) return
    // Order first, as everywhere.
    const order = await lockOrder(tx, known.instituteId, known.orderId)
    const refund = await store.lockRefund(tx, known.instituteId, known.id)
    const payment = await findPayment(tx, known.instituteId, known.paymentId)
    if (refund === null || payment === null || order === null) throw new Error(`${known.id} lost its payment`)
    if (refund.state !== 'pending') return
    const named = { ...refund, providerRef: report.providerRef }
    const at = outcome.kind === 'processed' ? outcome.processedAt : ctx.clock.now()
    await endRefund(ctx, tx, { refund: named, payment, order }, { ...outcome, at })
  })
}

/** The transaction has locked the refund and its order. */
export async function endRefund(
  ctx: PaymentContext,
  tx: Transaction,
  { refund, payment, order }: PaidOrder & { refund: Refund },
  outcome: ({ kind: 'processed'; utr: string } | { kind: 'failed'; message: string }) & { at: Date },
): Promise<void> {
  const { at } = outcome
  const isProcessed = outcome.kind === 'processed'
  const done: Refund = {
    ...refund,
    state: outcome.kind,
    utr: isProcessed ? outcome.utr : null,
    processedAt: isProcessed ? at : null,
    failureMessage: isProcessed ? null : outcome.message,
  }
  await store.finishRefund(tx, done)
  if (!isProcessed) await forgetRefund(tx, refund.instituteId, refund.id)
  // Only a requested refund had counted as refunded.
  if (!isProcessed && refund.kind === 'requested') {
    await markRefundFailed(tx, refund.instituteId, order, { lines: refund.lines, at })
    const taken = await chargeLess(tx, { payment, order }, at)
    if (taken.length > 0) await markRefunded(tx, refund.instituteId, order, { lines: taken, at })
  }
  if (refund.kind === 'requested') {
    await post(tx, refund.instituteId, refundResultOf(refund.id, refund.amountPaise, isProcessed), at)
    const failed = { payment, order, lines: refund.lines, outcome: 'failed' } as const
    if (!isProcessed) await ctx.paymentHandlers[order.kind].refunded?.(tx, failed, at)
  } else if (isProcessed) {
    await post(tx, refund.instituteId, duplicateRefundOf(refund.id, refund.amountPaise), at)
  } else if (refund.kind === 'duplicate') {
    await insertExceptions(tx, [failedRefund(done, payment, at)])
  }
  // A payment that pays nothing was never told of, so that it went back is not either.
  if (refund.kind !== 'duplicate')
    await recordEvents(tx, [refundEvent(done, payment, order, { happened: outcome.kind, at })])
}

/** Money that pays nothing and did not go back: no order asks for it, so a person is shown it until it is dealt with. */
function failedRefund(refund: Refund, payment: Payment, noticedAt: Date): Exception {
  const { instituteId, id, orderId, amountPaise, failureMessage } = refund
  return {
    instituteId,
    provider: payment.provider,
    accountId: payment.accountId,
    utr: '',
    // Not the payment's: that its pay-out matches does not mean that it went back.
    providerRef: id,
    problem: `the refund of money that does not pay order ${orderId} failed (${failureMessage}): refund it again`,
    reportedPaise: amountPaise,
    knownPaise: amountPaise,
    noticedAt,
  }
}

/** A refund that the provider is asked for. */
function openRefund(
  payment: Payment,
  asked: Pick<Refund, 'kind' | 'lines' | 'reason' | 'cause' | 'requestedAt'>,
): Refund {
  const amountPaise = sumPaise(asked.lines.map(line => line.amountPaise))
  return newRefund(payment, { ...asked, id: newId('rfd'), amountPaise })
}

/** The advance in a student's payment goes back first, unless somebody named components. */
export async function linesOfRefund(
  tx: Transaction,
  { payment: { instituteId }, order }: PaidOrder,
  earlier: readonly Refund[],
  asked: Omit<AskedRefund, 'reason'>,
): Promise<RefundLine[]> {
  const { studentId } = order
  const advances =
    studentId === null || asked.lines !== null ? [] : await holdAdvances(tx, { instituteId, studentId })
  return refundLines(order, earlier, asked, advances)
}

/** Pays the fees that a refund made due again from the student's advances; the caller has recorded the refund. */
export async function takeAdvanceFirst(
  tx: Transaction,
  { payment: { instituteId }, order: { studentId } }: PaidOrder,
  lines: readonly RefundLine[],
  at: Date,
): Promise<void> {
  if (studentId !== null) await payFromAdvances(tx, { instituteId, studentId }, lines, at)
}

/**
 * A refund of the payment has failed after all: of what a bank took back before, less went out twice than was charged. The
 * lines that it takes back then are answered.
 */
async function chargeLess(tx: Transaction, { payment, order }: PaidOrder, at: Date): Promise<RefundLine[]> {
  const { instituteId } = payment
  const all = await store.listRefunds(tx, instituteId, payment.id)
  const counted = all.filter(refund => refund.chargedPaise === 0)
  const changed: RefundLine[] = []
  for (const taken of all.filter(refund => refund.chargedPaise > 0)) {
    const { lines, chargedPaise } = returnedLines(order, counted, taken.amountPaise)
    counted.push({ ...taken, lines, chargedPaise })
    if (chargedPaise === taken.chargedPaise) continue
    await store.replaceLines(tx, { ...taken, lines, chargedPaise })
    const lessPaise = subtractPaise(chargedPaise, taken.chargedPaise)
    await chargeFamily(tx, instituteId, order, { amountPaise: lessPaise, at })
    addAll(changed, lines)
  }
  return changed
}

/** Only of a student: an order by itself has nobody's fees to stand among, so its reason and event tell of it alone. */
export async function chargeFamily(
  tx: Transaction,
  instituteId: number,
  { studentId }: Order,
  { amountPaise, at }: { amountPaise: Paise; at: Date },
): Promise<void> {
  if (studentId === null || amountPaise === 0) return
  const key = { instituteId, studentId }
  await joinCatalogue(tx, { id: instituteId }, [{ kind: 'component', code: RETURNED_AFTER_REFUND }])
  await holdStudent(tx, key)
  const fee = { componentType: RETURNED_AFTER_REFUND, amountPaise, at, source: 'charge' as const }
  await addToFee(tx, key, fee)
}

/** Money that a bank holds or has taken back is not given back a second time; one that was won can be refunded. */
export async function assertUndisputed(
  db: Queryable,
  { instituteId, id }: Pick<Payment, 'instituteId' | 'id'>,
): Promise<void> {
  const [dispute] = await listStanding(db, instituteId, id)
  if (dispute === undefined) return
  throw conflict(
    statusOf(dispute) === 'lost'
      ? `The payer's bank has taken this payment back: the dispute ${dispute.id} was lost. There is nothing to refund.`
      : `The payer disputes this payment at the bank (${dispute.id}). Answer the dispute at the provider; it cannot be refunded until that is decided.`,
  )
}
