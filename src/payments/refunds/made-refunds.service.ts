import { recordEvents } from '../../events/events.service.ts'
import { refundRequestOf, refundResultOf } from '../../ledger/ledger.rules.ts'
import { post } from '../../ledger/ledger.service.ts'
import { lockOrder, markRefunded } from '../../orders/order-payments.service.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import { refundEvent } from '../payment.events.ts'
import type { PaidOrder } from '../payment-handler.ts'
import { assertUndisputed } from '../disputes/undisputed.service.ts'
import { lockPaying } from '../payments.store.ts'
import { linesOfRefund, takeAdvanceFirst } from './refund-lines.service.ts'
import { refundableOf, type Refund } from './refunds.rules.ts'
import * as store from './refunds.store.ts'

/**
 * A refund that no provider is asked for: the bank made it, or a person did from the institute's bank account or in the
 * provider's dashboard.
 */
type MadeRefund = {
  id?: string
  amountPaise: Paise
  reason: string
  providerRef?: string
  utr: string | null
  at: Date
}

/** Books it in the caller's transaction, which has locked order and payment. */
export async function recordMadeRefund(
  tx: Transaction,
  { payment, order }: PaidOrder,
  earlier: readonly Refund[],
  { id = newId('rfd'), amountPaise, reason, providerRef, utr, at }: MadeRefund,
): Promise<Refund> {
  const asked = { amountPaise, lines: null }
  const lines = await linesOfRefund(tx, { payment, order }, earlier, asked)
  const refund: Refund = {
    instituteId: payment.instituteId,
    id,
    paymentId: payment.id,
    orderId: order.id,
    kind: 'requested',
    state: 'processed',
    amountPaise,
    lines,
    reason,
    cause: null,
    chargedPaise: ZERO,
    providerRef: providerRef ?? null,
    utr,
    failureMessage: null,
    requestedAt: at,
    processedAt: at,
    tries: 0,
  }
  await store.insertRefund(tx, refund)
  await markRefunded(tx, payment.instituteId, order, { lines, at })
  await takeAdvanceFirst(tx, { payment, order }, lines, at)
  await post(tx, payment.instituteId, refundRequestOf(id, amountPaise), at)
  await post(tx, payment.instituteId, refundResultOf(id, amountPaise, true), at)
  await recordEvents(tx, [refundEvent(refund, payment, order, { happened: 'processed', at })])
  return refund
}

/** Locks the order, so that it comes before whatever else the caller locks. */
export async function refundByHand(
  tx: Transaction,
  { instituteId, orderId }: { instituteId: number; orderId: string },
  made: Omit<MadeRefund, 'id'>,
): Promise<Refund> {
  const order = await lockOrder(tx, instituteId, orderId)
  if (order === null) throw notFound('This order')
  const payment = await lockPaying(tx, instituteId, orderId)
  if (payment === null) throw conflict('This money is not booked yet. Try again in a minute.')
  await assertUndisputed(tx, payment)
  const earlier = await store.listRefunds(tx, instituteId, payment.id)
  if (made.amountPaise > refundableOf(payment, earlier))
    throw conflict('This is more than what is left of the payment.')
  return recordMadeRefund(tx, { payment, order }, earlier, made)
}

/** What was given back of these payments. */
export async function listMadeRefunds(
  { db }: Pick<Context, 'db'>,
  payments: Parameters<typeof store.listMade>[1],
): Promise<Refund[]> {
  return store.listMade(db, payments)
}
