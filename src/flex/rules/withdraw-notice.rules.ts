import { isNotified } from './debit.rules.ts'
import type { Instalment } from './plan.rules.ts'
import type { PlanInChange } from './plan-in-change.rules.ts'

/**
 * What was announced will not be debited as announced: the family is told, unless the notice has not left yet, and the
 * instalment begins its way anew.
 */
export function withdrawNotice(
  plan: PlanInChange,
  instalment: Instalment,
  why: string,
  change: Partial<Omit<Instalment, 'state'>> = {},
): void {
  const wasNotified = isNotified(instalment, plan.now)
  plan.move(instalment, 'scheduled', `${why}, so the notice was withdrawn`, {
    notifiedAt: null,
    fetchTries: 0,
    nextStepAt: plan.now,
    ...change,
  })
  if (wasNotified) plan.notifyFamily('withdrawn', { day: instalment.presentOn, reason: why })
}

export function withdrawNotices(plan: PlanInChange, why: string): void {
  for (const one of plan.instalments.filter(({ state }) => state === 'confirmed'))
    withdrawNotice(plan, one, why)
}

/**
 * Ends an instalment; what was covered or waived comes back if the money or the fee does. A family that was notified of its
 * debit is notified that it does not take place.
 */
export function endInstalment(
  plan: PlanInChange,
  instalment: Instalment,
  to: 'covered' | 'waived' | 'cancelled',
  { why, toFamily = why, isPlanEnding = false }: { why: string; toFamily?: string; isPlanEnding?: boolean },
): void {
  if (instalment.state === 'confirmed' && isNotified(instalment, plan.now))
    plan.notifyFamily(to === 'cancelled' && isPlanEnding ? 'called_off' : 'withdrawn', {
      day: instalment.presentOn,
      reason: toFamily,
    })
  // The ERP is asked about a waived one once more.
  plan.move(instalment, to, why, { nextStepAt: to === 'waived' ? plan.now : null, notifiedAt: null })
}
