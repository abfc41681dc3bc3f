import { openOrders, type PlannedOrder } from '../../orders/order-payments.service.ts'
import { assert } from '../../platform/assert.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { newId } from '../../platform/ids.ts'
import * as store from './debits.store.ts'
import { newPayment, nextCheck, type AccountRef, type Payment } from '../payments.rules.ts'
import { transfersOf, type PaymentContext } from '../context.ts'

/** A transfer that somebody has sent: its order, and who takes it in. */
export type Transfer = PlannedOrder & AccountRef & { at: Date }

/** Writes the order and the intent to take it in, in the caller's transaction. After the commit it is `sendTransfer`'s. */
export async function openTransfer(tx: Transaction, transfer: Transfer): Promise<Payment> {
  const { instituteId, order, provider, accountId, at } = transfer
  assert(order.kind === 'loan', 'only what a lender pays out is transferred')
  await openOrders(tx, [transfer])
  const payment = newPayment(instituteId, order, { id: newId('pay'), provider, accountId, mode: 'loan', at })
  await store.insertDebits(tx, [{ payment, nextCheckAt: nextCheck(0, at) }])
  return payment
}

/**
 * Tells the provider of it, outside a transaction. May be repeated until it is captured, also after the payment was
 * given up: the money is the same, and it wins.
 */
export async function sendTransfer(
  ctx: PaymentContext,
  payment: Payment,
  { collectorCode, reference }: { collectorCode: string; reference: string },
): Promise<void> {
  const now = ctx.clock.now()
  const { instituteId, id: paymentId, amountPaise } = payment
  const { providerRef } = await (
    await transfersOf(ctx, payment)
  ).expect({
    instituteId,
    collectorCode,
    paymentId,
    amountPaise,
    mode: 'loan',
    reference,
  })
  await store.recordPresented(ctx.db, payment, { providerRef, nextCheckAt: nextCheck(1, now) })
}
