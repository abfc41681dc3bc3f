import { pullStudents, type Pulled, type PullRequest } from '../../erp/pull/pull.service.ts'
import type { FlexContext } from '../context.ts'
import { cancelAtProvider } from '../mandates/end-mandate.ts'
import { endPlanOf } from './end-plan.service.ts'

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
