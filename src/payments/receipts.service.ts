import type { Institute } from '../institutes/institutes.rules.ts'
import type { Order } from '../orders/orders.rules.ts'
import { conflict } from '../platform/errors.ts'
import type { Payment } from './payments.rules.ts'
import { listPayments } from './payments.store.ts'
import * as store from './receipts.store.ts'
import type { Till } from './till.ts'

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

/** Its number is never used again. */
export async function cancelReceipt(
  till: Pick<Till, 'db' | 'clock'>,
  institute: Institute,
  cancelled: { financialYear: string; number: number; reason: string },
): Promise<void> {
  const done = await store.cancelReceipt(till.db, institute.id, { ...cancelled, at: till.clock.now() })
  if (!done) throw conflict(`There is no receipt ${receiptNumber(cancelled)} that could be cancelled.`)
}
