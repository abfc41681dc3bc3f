import { dayOf } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import type { Transaction } from '../platform/db/database.ts'
import { conflict, notFound } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { financialYear, receiptNumber, type ReceiptKey } from './receipts.rules.ts'
import * as store from './receipts.store.ts'

export type { Receipt } from './receipts.store.ts'
export { cancelReceiptOf, findReceipt, listCancelledReceipts } from './receipts.store.ts'

/** The receipt of a payment that the institute took itself, numbered in the year in which it is issued. */
export async function issueDirectReceipt(
  tx: Transaction,
  payment: { instituteId: number; id: string },
  issuedAt: Date,
): Promise<ReceiptKey> {
  return store.insertDirectReceipt(tx, payment.instituteId, {
    financialYear: financialYear(dayOf(issuedAt)),
    paymentId: payment.id,
    issuedAt,
  })
}

/** Its number is never used again. Answers the receipt as it was. */
export async function cancelReceipt(
  ctx: Pick<Context, 'db' | 'clock'>,
  command: Command<store.Receipt>,
  cancelled: ReceiptKey & { reason: string },
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
