import type { Payment } from '../payments/payments.rules.ts'
import { listPayments } from '../payments/payments.service.ts'
import type { Till } from '../payments/till.ts'
import { notFound } from '../platform/errors.ts'
import type { Ground } from '../platform/ground.ts'
import { findInstalmentOrder, findPendingMandate } from './sandbox-flex.store.ts'

/** The mandate of a plan that waits for the payer at the bank; null when none does. */
export async function pendingMandateOf(
  { db }: Ground,
  instituteId: number,
  planId: string,
): Promise<{ providerRef: string } | null> {
  const plan = await findPendingMandate(db, instituteId, planId)
  if (plan === null) throw notFound('This plan')
  return plan.providerRef === null ? null : { providerRef: plan.providerRef }
}

/** The payment of the presentation that is out or stands; null when there is none. */
export async function paymentOfInstalment(
  till: Till,
  instituteId: number,
  instalmentId: string,
): Promise<Payment | null> {
  const instalment = await findInstalmentOrder(till.db, instituteId, instalmentId)
  if (instalment === null) throw notFound('This instalment')
  if (instalment.orderId === null) return null
  const [latest] = await listPayments(till, instituteId, instalment.orderId)
  return latest ?? null
}
