import { mandatesOf } from '../../payments/context.ts'
import { isUnavailable } from '../../platform/errors.ts'
import { ProviderRefused } from '../../providers/port.ts'
import type { FlexContext } from '../context.ts'
import { loadPlans } from '../plans/plans.store.ts'
import { withPlan } from '../plans/with-plans.service.ts'
import { isAtBank, isPauseDue, type LoadedPlan } from '../rules/plan.rules.ts'
import { addDays, momentOf } from '../rules/rails.rules.ts'
import type { MandateKey } from './mandates.store.ts'

const RETRY_MINUTES = [2, 10, 60, 360]
const GIVE_UP_AFTER = 20

/**
 * Tells the provider that a mandate is to rest while its plan is held or locked, and to go on afterwards, so that the payer's
 * bank sees what we do. That it has to be told stands in the mandate's row since the commit that stopped the plan. Nothing
 * depends on it: what is stopped is not presented in any case.
 */
export async function pauseAtProvider(ctx: FlexContext, key: MandateKey): Promise<void> {
  const loaded = (await loadPlans(ctx.db, [key])).get(key.planId)
  if (loaded?.mandate?.id !== key.id || !isPauseDue(loaded)) return
  const told = await tellProvider(ctx, loaded)
  await withPlan(ctx, key, plan => {
    if (plan.mandate?.id !== key.id || plan.mandate.state !== 'active') return
    const { checks, endOn, isPaused: before } = plan.mandate
    const isPaused = told.kind === 'done' ? !before : before
    if (told.kind !== 'unknown' && told.what !== null) plan.note(null, told.what, told.why)
    const minutes = RETRY_MINUTES[checks] ?? 1_440
    const isAgain = told.kind === 'unknown' && checks < GIVE_UP_AFTER
    const later = new Date(plan.now.getTime() + minutes * 60_000)
    const nextCheckAt = isAgain ? later : momentOf(addDays(endOn, 1), 0)
    plan.changeMandate({ isPaused, nextCheckAt, checks: isAgain ? checks + 1 : 0 })
    // Somebody has changed it while the provider was told.
    if (told.kind === 'done' && isPauseDue(plan)) plan.changeMandate({ nextCheckAt: plan.now })
  })
}

type PauseAnswer = { kind: 'done' | 'refused'; what: string | null; why: string } | { kind: 'unknown' }

async function tellProvider(ctx: FlexContext, loaded: LoadedPlan): Promise<PauseAnswer> {
  const { mandate } = loaded
  if (mandate === null) return { kind: 'unknown' }
  const { instituteId, id: mandateId, providerRef, isPaused } = mandate
  // What is out at the bank comes to its end first.
  if (!isPaused && isAtBank(loaded)) return { kind: 'unknown' }
  const [act, what] = isPaused ? (['resume', 'resumed'] as const) : (['pause', 'paused'] as const)
  try {
    const port = await mandatesOf(ctx, mandate)
    if (port[act] === undefined) return { kind: 'refused', what: null, why: '' }
    await port[act]({ instituteId, mandateId, providerRef })
    return { kind: 'done', what: `mandate ${what}`, why: 'at the payment provider' }
  } catch (error) {
    if (error instanceof ProviderRefused)
      return { kind: 'refused', what: `mandate not ${what}`, why: `the provider says: ${error.message}` }
    if (!isUnavailable(error)) throw error
    return { kind: 'unknown' }
  }
}
