import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Order } from '../../orders/orders.rules.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { transact, type Act } from '../../platform/idempotency.ts'
import type { Payment } from '../payments.rules.ts'
import { listPayments } from '../payments.store.ts'
import * as store from './receipts.store.ts'
import type { Till } from '../context.ts'

export type IssuedReceipt = { receipt: store.Receipt; payment: Payment }

/** The receipt of the payment that paid an order. */
export async function findReceipt(
  till: Till,
  institute: Institute,
  order: Order,
): Promise<IssuedReceipt | null> {
  const payments = await listPayments(till.db, institute.id, order.id)
  const payment = payments.find(candidate => candidate.state === 'captured' && !candidate.isDuplicate)
  if (payment === undefined) return null
  const receipt = await store.findReceipt(till.db, institute.id, payment.id)
  return receipt === null ? null : { receipt, payment }
}

/** 2026-27/000042, as people quote it. */
export function receiptNumber({
  financialYear,
  number,
}: Pick<store.Receipt, 'financialYear' | 'number'>): string {
  return `${financialYear}/${String(number).padStart(6, '0')}`
}

/** Its number is never used again. Answers the receipt as it was. */
export async function cancelReceipt(
  till: Pick<Till, 'db' | 'clock'>,
  act: Act<store.Receipt>,
  cancelled: { financialYear: string; number: number; reason: string },
): Promise<store.Receipt> {
  return transact(till.db, act, async tx => {
    const receipt = await store.lockReceipt(tx, act.instituteId, cancelled)
    if (receipt === null) throw notFound(`A receipt ${receiptNumber(cancelled)}`)
    if (receipt.cancelledAt !== null)
      throw conflict(`The receipt ${receiptNumber(cancelled)} is cancelled already: ${receipt.cancelReason}`)
    await store.cancelReceipt(tx, act.instituteId, { ...cancelled, at: till.clock.now() })
    return receipt
  })
}
