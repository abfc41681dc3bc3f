import { closeUnpaid } from '../../orders/order-payments.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { cancelWithMandate } from '../mandates/end-mandate.ts'
import { DROPPED } from '../rules/after-fetch.rules.ts'
import { isPlanOver, type Mandate } from '../rules/plan.rules.ts'
import type { PlanChanges } from './plan-changes.service.ts'
import * as store from './plans.store.ts'
import { withPlans, type PlanContext } from './with-plans.service.ts'

import type { StudentKey } from '../../students/students.rules.ts'

/** The plans that ended, and the mandates that the provider is to be told of after the commit. */
export type EndedPlans = { planIds: string[]; mandates: Mandate[] }

/**
 * Cancels the plan of a student who leaves, by the office or by the words of the ERP. A debit that is at the bank has its
 * result first, and its mandate stays until then. It locks the plan, so it comes before anything that locks the student.
 */
export async function endPlanOf(
  tx: Transaction,
  ctx: PlanContext,
  { instituteId, studentId }: StudentKey,
  { code, message }: { code: string; message: string } = DROPPED,
): Promise<EndedPlans> {
  await store.lockPlanning(tx, instituteId, studentId)
  const keys = await store.findPlansOf(tx, instituteId, [studentId])
  return withPlans(
    ctx,
    keys,
    async plans => {
      const live = [...plans.values()].filter(({ plan }) => !isPlanOver(plan))
      for (const plan of live) {
        cancelWithMandate(plan, `${code}: ${message}`, { code, message, category: 'erp' })
        await closeDownPayment(tx, plan)
      }
      return {
        planIds: live.map(({ plan }) => plan.id),
        mandates: live.flatMap(({ mandate }) => mandate ?? []),
      }
    },
    { tx },
  )
}

/** What was to be paid at the set-up of a plan that is over takes no new payment. */
export async function closeDownPayment(tx: Transaction, plan: PlanChanges): Promise<void> {
  const down = plan.instalments.filter(({ isDownpayment }) => isDownpayment)
  const orders = down.flatMap(({ orderId }) => orderId ?? [])
  await closeUnpaid(tx, plan.plan.instituteId, orders, plan.now)
}
