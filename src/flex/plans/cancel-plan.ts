import type { PayloadOf } from '../../events/payloads.ts'
import type { Desk } from './plan-changes.ts'
import { flexEvent } from './plan-events.ts'
import { endMandateOf } from '../mandates/end-mandate.ts'
import { isOpen } from '../rules/plan.rules.ts'
import { sayWithdrawn, type PlanScene } from '../notices/withdraw-notice.ts'

/** The plan, its mandate and everything of it that is not out at the bank ends; the bank is told after the commit. */
export function stopPlan(
  desk: Desk,
  { file, student }: PlanScene,
  { why, reason }: { why: string; reason?: PayloadOf<'flex.subscription.cancelled'>['reason'] },
): void {
  const wasDraft = file.plan.state === 'draft'
  for (const one of file.instalments.filter(isOpen)) {
    if (one.state === 'confirmed') sayWithdrawn(desk, { file, student }, one, 'the plan was cancelled')
    desk.move(file, one, 'cancelled', why, { nextStepAt: null, notifiedAt: null })
  }
  desk.movePlan(file, 'cancelled', why)
  // Nobody was told of a draft.
  if (wasDraft) return purgeMandate(desk, { file, student })
  endMandateOf(desk, { file, student })
  desk.tell(flexEvent('flex.subscription.cancelled', file, { student, at: desk.now, reason }))
}

function purgeMandate(desk: Desk, { file }: PlanScene): void {
  if (file.mandate?.state === 'active' || file.mandate?.state === 'pending')
    desk.moveMandate(file, 'cancelled', 'the plan was cancelled', { nextCheckAt: null })
}
