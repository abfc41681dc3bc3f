import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Order } from '../../orders/orders.rules.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import type { Payment } from '../payments.rules.ts'
import { listPayments } from '../payments.store.ts'
import * as store from './receipts.store.ts'
import type { PaymentContext } from '../context.ts'

export type IssuedReceipt = { receipt: store.Receipt; payment: Payment }

/** The receipt of the payment that paid an order. */
export async function findReceipt(
  ctx: PaymentContext,
  institute: Institute,
  order: Order,
): Promise<IssuedReceipt | null> {
  const payments = await listPayments(ctx.db, institute.id, order.id)
  const payment = payments.find(candidate => candidate.state === 'captured' && !candidate.isDuplicate)
  if (payment === undefined) return null
  const receipt = await store.findReceipt(ctx.db, institute.id, payment.id)
  return receipt === null ? null : { receipt, payment }
}

/** 2026-27/000042, as people quote it. */
export function receiptNumber({ financialYear, number }: store.ReceiptKey): string {
  return `${financialYear}/${String(number).padStart(6, '0')}`
}

/** Its number is never used again. Answers the receipt as it was. */
export async function cancelReceipt(
  ctx: Pick<PaymentContext, 'db' | 'clock'>,
  command: Command<store.Receipt>,
  cancelled: store.ReceiptKey & { reason: string },
): Promise<store.Receipt> {
  return transact(ctx.db, command, async tx => {
    const receipt = await store.lockReceipt(tx, command.instituteId, cancelled)
    if (receipt === null) throw notFound(`A receipt ${receiptNumber(cancelled)}`)
    if (receipt.cancelledAt !== null)
      throw conflict(`The receipt ${receiptNumber(cancelled)} is cancelled already: ${receipt.cancelReason}`)
    const payment = { instituteId: command.instituteId, id: receipt.paymentId }
    await store.cancelReceiptOf(tx, payment, { reason: cancelled.reason, at: ctx.clock.now() })
    return receipt
  })
}
