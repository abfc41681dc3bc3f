import { mandatesOf } from '../../payments/context.ts'
import type { FlexContext } from '../context.ts'
import type { Mandate } from '../rules/plan.rules.ts'
import { setNextCheck } from './mandates.store.ts'

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
