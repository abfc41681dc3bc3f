import { withdrawNotices } from '../notices/withdraw-notice.ts'
import type { PlanChanges } from '../plans/plan-changes.ts'
import { isMandateLive } from '../rules/plan.rules.ts'
import { meaningOf, npciCategory } from '../rules/returns.rules.ts'

/** Why a plan is locked whose mandate is over. */
export const MANDATE_ENDED = 'mandate_ended'

/** Nothing can be debited any more: the plan waits for a new mandate. */
export function endMandate(plan: PlanChanges, code: string): void {
  const { message, category } = meaningOf(code)
  if (!isMandateLive(plan.mandate)) return
  const ended = { npciCategory: npciCategory(code), nextCheckAt: null }
  const mandate = plan.moveMandate('cancelled', `${code}: ${message}`, ended)
  lockWithoutMandate(plan, 'its mandate has ended')
  plan.recordEvent('flex.mandate.cancelled', { mandate, reason: { code, category, message } })
  askForNewMandate(plan, message)
}

/** The same for one whose time is up. */
export function expireMandate(plan: PlanChanges): void {
  const mandate = plan.moveMandate('expired', 'past its end date', { nextCheckAt: null })
  lockWithoutMandate(plan, 'its mandate has expired')
  plan.recordEvent('flex.mandate.expired', { mandate })
  askForNewMandate(plan, 'Its end date has passed.')
}

function lockWithoutMandate(plan: PlanChanges, why: string): void {
  withdrawNotices(plan, 'the mandate has ended')
  const { state } = plan.plan
  if (state === 'active' || state === 'setup') plan.movePlan('locked', why)
  if (plan.plan.state === 'locked') plan.changePlan({ lockReason: MANDATE_ENDED })
}

/** Nobody needs another for what is over. */
function askForNewMandate(plan: PlanChanges, reason: string): void {
  if (plan.plan.state === 'locked') plan.notifyFamily('new_mandate', { reason })
}
