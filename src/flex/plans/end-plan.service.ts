import * as store from './plans.store.ts'
import { closeUnpaid } from '../../orders/order-payments.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { cancelWithMandate, cancelAtProvider } from '../mandates/end-mandate.ts'
import { DROPPED } from '../rules/debit.rules.ts'
import { isPlanOver, type Mandate } from '../rules/plan.rules.ts'
import type { PlanChanges } from './plan-changes.service.ts'
import { withPlans, type PlanContext } from './with-plans.service.ts'
import type { StudentKey } from '../../students/students.rules.ts'
import { pullStudents, type Pulled, type PullRequest } from '../../erp/pull/pull.service.ts'
import type { FlexContext } from '../context.ts'

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

/**
 * Asks the ERP for students. The plan of one whom the ERP says has left ends at once, as when the office says so, whatever
 * the ERP was asked for: its next debit would be the first to hear of it otherwise.
 */
export async function pullWithPlans(ctx: FlexContext, requests: readonly PullRequest[]): Promise<Pulled[]> {
  const pulled = await pullStudents(ctx, requests)
  for (const [index, { instituteId, studentId }] of requests.entries()) {
    const answer = pulled[index]
    if (answer?.kind !== 'refused' || answer.actsAs !== 'student_discontinued') continue
    const key = { instituteId, studentId }
    const { mandates } = await ctx.db.transaction(tx => endPlanOf(tx, ctx, key, answer))
    for (const mandate of mandates) await cancelAtProvider(ctx, mandate)
  }
  return pulled
}
