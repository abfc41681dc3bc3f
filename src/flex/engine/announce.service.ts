import { mandatesOf } from '../../payments/context.ts'
import { isUnavailable } from '../../platform/errors.ts'
import { ProviderRefused } from '../../providers/port.ts'
import type { FlexContext } from '../context.ts'
import { loadPlans } from '../plans/plans.store.ts'
import { withPlan } from '../plans/with-plans.service.ts'
import { announceableAt, nextStep, debitContextOf, type DebitRules } from '../rules/debit.rules.ts'
import { sumLines } from '../rules/lines.rules.ts'
import { noticeIdOf, type Instalment, type LoadedPlan } from '../rules/plan.rules.ts'
import type { DueInstalment } from './engine.store.ts'

const AT_ONCE = 20

/**
 * Has the provider tell the payer's bank of debits that were announced to the family, where the rail wants it from the
 * provider. It may be repeated for one notice; what cannot be told in time is presented without.
 */
export async function announceAll(
  ctx: FlexContext,
  due: readonly DueInstalment[],
  debitRules: DebitRules,
): Promise<void> {
  const plans = await loadPlans(ctx.db, due)
  for (let start = 0; start < due.length; start += AT_ONCE)
    await Promise.all(due.slice(start, start + AT_ONCE).map(one => announce(ctx, one, plans, debitRules)))
}

async function announce(
  ctx: FlexContext,
  key: DueInstalment,
  plans: ReadonlyMap<string, LoadedPlan>,
  debitRules: DebitRules,
): Promise<void> {
  const plan = plans.get(key.planId)
  const instalment = plan?.instalments.find(({ id }) => id === key.instalmentId)
  if (plan === undefined || instalment === undefined) return
  if (nextStep(debitContextOf(plan, instalment, debitRules)).kind !== 'announce') return
  const told = await tellProvider(ctx, plan, instalment, debitRules)
  await withPlan(ctx, key, locked => {
    const now = locked.find(key.instalmentId)
    // The notice was withdrawn or given anew meanwhile: that one is told by itself.
    if (now === undefined || noticeIdOf(now) !== noticeIdOf(instalment)) return
    if (told.kind === 'unknown') locked.change(now, { nextStepAt: new Date(locked.now.getTime() + RETRY_MS) })
    else locked.change(now, { announcedRef: told.ref, announcedFor: now.notifiedAt, nextStepAt: locked.now })
  })
}

const RETRY_MS = 5 * 60_000

/** Has no reference when the provider refuses: it will refuse the debit too, with a reason that Flex acts on. */
type Announcement = { kind: 'announced'; ref: string | null } | { kind: 'unknown' }

async function tellProvider(
  ctx: FlexContext,
  { mandate, plan }: LoadedPlan,
  instalment: Instalment,
  debitRules: DebitRules,
): Promise<Announcement> {
  const mandateRef = mandate?.providerRef ?? null
  if (mandate === null || mandateRef === null) return { kind: 'announced', ref: null }
  const port = await mandatesOf(ctx, mandate)
  try {
    const told = await port.announce?.({
      instituteId: plan.instituteId,
      noticeId: noticeIdOf(instalment),
      mandateRef,
      rail: mandate.rail,
      amountPaise: sumLines(instalment.lines),
      debitAt: announceableAt(instalment, debitRules.rules.rails[mandate.rail]),
    })
    return { kind: 'announced', ref: told?.providerRef ?? null }
  } catch (error) {
    if (error instanceof ProviderRefused) return { kind: 'announced', ref: null }
    if (isUnavailable(error)) return { kind: 'unknown' }
    throw error
  }
}
