import { endMandateAtProvider } from '../mandates/end-mandate.ts'
import { endInstalment } from '../rules/withdraw-notice.rules.ts'
import type { PlanChanges } from './plan-changes.ts'
import type { Reason } from './plan.events.ts'
import { isAtBank, isOpen } from '../rules/plan.rules.ts'

/** The plan, its mandate and everything of it that is not out at the bank ends; the bank is told after the commit. */
export function cancelWithMandate(plan: PlanChanges, why: string, reason?: Reason): void {
  const wasDraft = plan.plan.state === 'draft'
  for (const one of plan.instalments.filter(isOpen))
    endInstalment(plan, one, 'cancelled', { why, toFamily: 'the plan was cancelled', isPlanEnding: true })
  plan.movePlan('cancelled', why)
  endMandateOfCancelled(plan)
  // Nobody was notified of a draft.
  if (!wasDraft) plan.recordEvent('flex.subscription.cancelled', { reason })
}

/**
 * A bank returns a debit whose mandate was ended meanwhile, so the mandate stays until nothing is out. One that the payer
 * has not given yet has nothing out, and must not be given any more.
 */
export function endMandateOfCancelled(plan: PlanChanges): void {
  if (plan.plan.state !== 'cancelled') return
  if (isAtBank(plan) && plan.mandate?.state === 'active') return
  endMandateAtProvider(plan, 'the plan was cancelled')
}
