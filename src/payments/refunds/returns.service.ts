import { returnOf } from '../../ledger/ledger.rules.ts'
import { post } from '../../ledger/ledger.service.ts'
import { lockOrder, lockOrders, markReversed } from '../../orders/order-payments.service.ts'
import type { Order } from '../../orders/orders.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import {
  formatRupees,
  splitInProportion,
  subtractPaise,
  sumPaise,
  ZERO,
  type Paise,
} from '../../platform/money.ts'
import { returnIdOf, type ReturnReport } from '../../providers/mandate-port.ts'
import { applyReport } from '../payments.service.ts'
import { atProvider, type Payment } from '../payments.rules.ts'
import { lockPaying } from '../payments.store.ts'
import { listAtProvider } from '../start/groups.store.ts'
import { cancelReceiptOf } from '../../receipts/receipts.service.ts'
import { recordMadeRefund } from './made-refunds.service.ts'
import { refundableOf, refundLines, returnedBy } from './refunds.rules.ts'
import { insertRefund, listRefunds, listUnreturned } from './refunds.store.ts'
import { providerOf, type PaymentContext } from '../context.ts'

/**
 * Takes back a debit that the bank had confirmed, once, however often it says so. It is booked as a refund that nobody
 * asked for, so the bank's next pay-out, which is less by it, matches like any other.
 */
export async function applyReturn(
  ctx: PaymentContext,
  report: ReturnReport,
): Promise<'reversed' | 'nothing'> {
  const known = await listAtProvider(ctx.db, report.instituteId, report.paymentId)
  const [first] = known
  if (first === undefined) return 'nothing'
  if (first.state !== 'captured') {
    // What was taken back was taken first: if we have not heard of that yet, the provider is asked.
    const provider = await providerOf(ctx, first)
    await applyReport(ctx, await provider.status(atProvider(first)))
  }
  return ctx.db.transaction(tx =>
    known.length === 1 ? reverse(ctx, tx, report, first.orderId) : reverseParts(ctx, tx, report, known),
  )
}

/** What is taken back of a payment for several orders is taken of each in proportion to what is left of it. */
async function reverseParts(
  ctx: PaymentContext,
  tx: Transaction,
  report: ReturnReport,
  parts: readonly Payment[],
): Promise<'reversed' | 'nothing'> {
  const { instituteId } = report
  const left: Paise[] = []
  await lockOrders(
    tx,
    instituteId,
    parts.map(part => part.orderId),
  )
  for (const part of parts) left.push(refundableOf(part, await listRefunds(tx, instituteId, part.id)))
  if (report.amountPaise > sumPaise(left) || sumPaise(left) === 0) return 'nothing'
  const shares = splitInProportion(report.amountPaise, left)
  let done: 'reversed' | 'nothing' = 'nothing'
  for (const [index, part] of parts.entries()) {
    const own = { ...report, paymentId: part.id, amountPaise: shares[index] ?? ZERO }
    if ((await reverse(ctx, tx, own, part.orderId)) === 'reversed') done = 'reversed'
  }
  return done
}

/** What a pay-out is less by has been taken back: where we have not heard of it, the provider is asked. */
export async function catchUpReturns(
  ctx: PaymentContext,
  at: { instituteId: number; accountId: string },
  refundIds: readonly string[],
): Promise<void> {
  const { mandates } = await providerOf(ctx, at)
  if (mandates === undefined || refundIds.length === 0) return
  const { instituteId } = at
  const debits = await listUnreturned(ctx.db, at, refundIds.map(returnedBy))
  for (const { id: paymentId, providerRef } of debits) {
    const report = await mandates.returned({ instituteId, paymentId, providerRef })
    if (report !== null) await applyReturn(ctx, report)
  }
}

async function reverse(
  ctx: PaymentContext,
  tx: Transaction,
  report: ReturnReport,
  orderId: string,
): Promise<'reversed' | 'nothing'> {
  const { instituteId, paymentId, amountPaise, code, message, returnedAt } = report
  const order = await lockOrder(tx, instituteId, orderId)
  if (order === null || order.state !== 'paid') return 'nothing'
  if (order.kind !== 'instalment') return refundTaken(ctx, tx, report, order)
  const payment = await lockPaying(tx, instituteId, orderId)
  // Another amount is not ours to interpret: the pay-out that is less by it becomes an exception for a person.
  if (payment === null || payment.id !== paymentId || payment.amountPaise !== amountPaise) return 'nothing'
  const refundable = refundableOf(payment, await listRefunds(tx, instituteId, paymentId))
  const twicePaise = subtractPaise(amountPaise, refundable)
  // The bank takes back all of it: what had been refunded went out twice.
  const twice =
    twicePaise > 0 ? ` ${formatRupees(twicePaise)} of it had been refunded before and is owed too.` : ''
  const reason = `The bank took the debit back (${code}). ${message}${twice}`
  const refundId = returnIdOf(payment.id)
  await insertRefund(tx, {
    instituteId,
    id: refundId,
    paymentId: payment.id,
    orderId,
    kind: 'returned',
    state: 'processed',
    amountPaise,
    reason,
    cause: null,
    providerRef: null,
    utr: null,
    failureMessage: null,
    requestedAt: returnedAt,
    processedAt: returnedAt,
    tries: 0,
    lines: refundLines(order, [], { amountPaise, lines: null }),
  })
  await post(tx, instituteId, returnOf(refundId, amountPaise), returnedAt)
  const reversed = await markReversed(tx, instituteId, order, returnedAt)
  await cancelReceiptOf(tx, payment, { reason, at: returnedAt })
  await ctx.paymentHandlers[order.kind].reversed(tx, { payment, order: reversed, code, message }, returnedAt)
  return 'reversed'
}

/** What was taken back of a payment at the checkout is a refund that nobody asked for; nothing is debited again. */
async function refundTaken(
  ctx: PaymentContext,
  tx: Transaction,
  { instituteId, paymentId, amountPaise, message, returnedAt: at }: ReturnReport,
  order: Order,
): Promise<'reversed' | 'nothing'> {
  const payment = await lockPaying(tx, instituteId, order.id)
  const earlier = await listRefunds(tx, instituteId, paymentId)
  const id = returnIdOf(paymentId)
  // More than is left was refunded and taken back: the pay-out that is less by it becomes an exception for a person.
  if (payment?.id !== paymentId || amountPaise > refundableOf(payment, earlier)) return 'nothing'
  if (amountPaise === 0 || earlier.some(refund => refund.id === id)) return 'nothing'
  const reason = `The bank took it back. ${message}`
  const made = { id, amountPaise, reason, utr: null, at }
  const { lines } = await recordMadeRefund(tx, { payment, order }, earlier, made)
  await ctx.paymentHandlers[order.kind].refunded?.(tx, { payment, order, lines, outcome: 'requested' }, at)
  return 'reversed'
}
