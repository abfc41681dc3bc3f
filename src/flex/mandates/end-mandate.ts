import { withdrawNotices } from '../rules/withdraw-notice.rules.ts'
import type { PlanChanges } from '../plans/plan-changes.ts'
import type { Reason } from '../plans/plan.events.ts'
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
  const reason = { code, category, message }
  // First, so that the mandate's event shows where the plan stands.
  lockWithoutMandate(plan, 'its mandate has ended', reason)
  plan.recordEvent('flex.mandate.cancelled', { mandate, reason })
}

/** The same for one whose time is up. */
export function expireMandate(plan: PlanChanges): void {
  const mandate = plan.moveMandate('expired', 'past its end date', { nextCheckAt: null })
  const message = 'Its end date has passed.'
  const reason = { code: 'mandate_expired', category: 'mandate' as const, message }
  lockWithoutMandate(plan, 'its mandate has expired', reason)
  plan.recordEvent('flex.mandate.expired', { mandate })
}

function lockWithoutMandate(plan: PlanChanges, why: string, reason: Reason): void {
  withdrawNotices(plan, 'the mandate has ended')
  plan.lock(MANDATE_ENDED, why, reason)
  // Nobody needs another for what is over.
  if (plan.plan.state === 'locked') plan.notifyFamily('new_mandate', { reason: reason.message })
}

/**
 * Ends it from our side, because its plan is over: nothing is debited under it from now on, and the provider is told
 * after the commit, as often as it takes.
 */
export function endMandateAtProvider(plan: PlanChanges, why: string): void {
  if (!isMandateLive(plan.mandate)) return
  const nextCheckAt = plan.mandate?.providerRef === null ? null : plan.now
  const mandate = plan.moveMandate('cancelled', why, { nextCheckAt, checks: 0 })
  // Nobody was notified of a draft.
  if (plan.plan.setUpAt !== null) plan.recordEvent('flex.mandate.cancelled', { mandate })
}
