import { endHold } from '../rules/hold.rules.ts'
import { endInstalment, withdrawNotices } from '../rules/plan-in-change.rules.ts'
import type { PlanChanges } from '../plans/plan-changes.service.ts'
import type { Reason } from '../plans/plan.events.ts'
import { isAtBank, isOpen, isMandateLive, type Mandate } from '../rules/plan.rules.ts'
import { meaningOf, npciCategory } from '../rules/returns.rules.ts'
import { mandatesOf } from '../../payments/context.ts'
import type { FlexContext } from '../context.ts'
import { setNextCheck } from './mandates.store.ts'

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
  // The pause of a mandate ends with it.
  if (plan.plan.heldBy === 'upi_app') endHold(plan, 'upi_app')
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

const RETRY_MINUTES = [2, 10, 60, 360, 1_440]
const GIVE_UP_AFTER = 20

/**
 * Tells the provider that we have ended a mandate. That it has to be told stands in the mandate's row since the commit
 * that ended it; what fails here is tried again by the job that checks mandates, and nothing is debited meanwhile.
 */
export async function cancelAtProvider(ctx: FlexContext, mandate: Mandate): Promise<void> {
  const { instituteId, id: mandateId, providerRef, state, nextCheckAt, checks } = mandate
  if (state !== 'cancelled' || nextCheckAt === null || providerRef === null) return
  const key = { instituteId, id: mandateId }
  try {
    const port = await mandatesOf(ctx, mandate)
    await port.cancel({ instituteId, mandateId, providerRef })
    await setNextCheck(ctx.db, key, { at: null, checks })
  } catch {
    const minutes = RETRY_MINUTES[checks] ?? 1_440
    const at = checks < GIVE_UP_AFTER ? new Date(ctx.clock.now().getTime() + minutes * 60_000) : null
    await setNextCheck(ctx.db, key, { at, checks: checks + 1 })
  }
}
