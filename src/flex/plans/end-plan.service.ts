import type { Transaction } from '../../platform/db/database.ts'
import { cancelWithMandate } from '../mandates/end-mandate.ts'
import { DROPPED } from '../rules/after-fetch.rules.ts'
import { isPlanOver, type Mandate } from '../rules/plan.rules.ts'
import { closeDownPayment } from './plans.service.ts'
import * as store from './plans.store.ts'
import { withPlans, type PlanContext } from './with-plans.service.ts'

import type { StudentKey } from '../../students/students.rules.ts'

/**
 * Cancels the plan of a student who leaves. A debit that is at the bank has its result first, and its mandate stays until
 * then. Answers the mandates that the provider is to be told of after the commit. It locks the plan, so it comes before
 * anything that locks the student.
 */
export async function endPlanOf(
  tx: Transaction,
  ctx: PlanContext,
  { instituteId, studentId }: StudentKey,
): Promise<Mandate[]> {
  await store.lockPlanning(tx, instituteId, studentId)
  const keys = await store.findPlansOf(tx, instituteId, [studentId])
  return withPlans(
    ctx,
    keys,
    async plans => {
      const live = [...plans.values()].filter(({ plan }) => !isPlanOver(plan))
      for (const plan of live) {
        const { code, message } = DROPPED
        cancelWithMandate(plan, `${code}: ${message}`, { ...DROPPED, category: 'erp' })
        await closeDownPayment(tx, plan)
      }
      return live.flatMap(({ mandate }) => mandate ?? [])
    },
    { tx },
  )
}
