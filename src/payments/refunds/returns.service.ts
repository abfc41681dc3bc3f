import { lockOrder, markReversed, markRefunded } from '../../orders/order-payments.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { returnIdOf, type ReturnReport } from '../../providers/port.ts'
import { applyReport } from '../payments.service.ts'
import { atProvider } from '../payments.rules.ts'
import { lockPaying, listAtProvider } from '../payments.store.ts'
import { cancelReceiptOf } from '../../receipts/receipts.service.ts'
import { newRefund, returnedBy, returnedLines, type Refund } from './refunds.rules.ts'
import { listUnreturned } from './refunds.store.ts'
import { providerOf, type PaymentContext, type PaidOrder } from '../context.ts'
import { returnOf } from '../../ledger/ledger.rules.ts'
import { post } from '../../ledger/ledger.service.ts'
import { newId } from '../../platform/ids.ts'
import type { Paise } from '../../platform/money.ts'
import { endRefund, chargeFamily } from './refunds.service.ts'
import * as store from './refunds.store.ts'

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
    // A returned debit was captured first: if we have not heard of that yet, the provider is asked.
    const provider = await providerOf(ctx, first)
    await applyReport(ctx, await provider.status(atProvider(first)))
  }
  return ctx.db.transaction(tx => reverse(ctx, tx, report, first.orderId))
}

/** Asks the provider about returns that a pay-out deducts and that we have not heard of. */
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
  // A bank returns only debits: a payment at the checkout goes back by a dispute, which is reported as one.
  if (order.kind !== 'instalment') return 'nothing'
  const payment = await lockPaying(tx, instituteId, orderId)
  // Another amount is not ours to interpret: the pay-out that is less by it becomes an exception for a person.
  if (payment === null || payment.id !== paymentId || payment.amountPaise !== amountPaise) return 'nothing'
  const reason = `The bank took the debit back (${code}). ${message}`
  const taken = { id: returnIdOf(paymentId), amountPaise, reason, at: returnedAt }
  const kind = { kind: 'returned', cause: null, providerRef: null } as const
  const { chargedPaise } = await bookReturn(ctx, tx, { payment, order }, { ...taken, ...kind })
  const reversed = await markReversed(tx, instituteId, order, returnedAt)
  await cancelReceiptOf(tx, payment, { reason, at: returnedAt })
  const told = { payment, order: reversed, code, message, chargedPaise }
  await ctx.paymentHandlers[order.kind].reversed(tx, told, returnedAt)
  return 'reversed'
}

/** Money that a bank took from the institute, whether by returning a debit or by deciding a dispute for the payer. */
type ReturnedMoney = Pick<Refund, 'kind' | 'cause' | 'providerRef'> & {
  id?: string
  amountPaise: Paise
  reason: string
  at: Date
}

/**
 * Books it in the caller's transaction, which has locked order and payment, as money that went back and that nobody asked
 * for; the bank's next pay-out, which is less by it, matches like any other. A refund that nobody has sent yet is not sent
 * any more. What had been refunded before went out twice, and the family owes it as a charge of its own: what was paid of
 * a fee never falls below nothing.
 */
export async function bookReturn(
  ctx: PaymentContext,
  tx: Transaction,
  { payment, order }: PaidOrder,
  { id = newId('rfd'), kind, cause, amountPaise, reason, providerRef, at }: ReturnedMoney,
): Promise<Refund> {
  const { instituteId } = payment
  for (const refund of await store.lockUnsent(tx, instituteId, payment.id))
    await endRefund(ctx, tx, { refund, payment, order }, { kind: 'failed', message: UNSENT, at })
  const earlier = await store.listRefunds(tx, instituteId, payment.id)
  const { lines, chargedPaise } = returnedLines(order, earlier, amountPaise)
  const refund = newRefund(payment, {
    id,
    kind,
    state: 'processed',
    amountPaise,
    chargedPaise,
    lines,
    reason,
    cause,
    providerRef,
    requestedAt: at,
    processedAt: at,
  })
  await store.insertRefund(tx, refund)
  await post(tx, instituteId, returnOf(id, amountPaise), at)
  await markRefunded(tx, instituteId, order, { lines, at })
  await chargeFamily(tx, instituteId, order, { amountPaise: chargedPaise, at })
  return refund
}

const UNSENT = 'The bank took the payment back before the refund was sent.'
