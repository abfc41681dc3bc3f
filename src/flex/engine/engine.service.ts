import { bisectOnFailure } from '../../platform/concurrency.ts'
import type { Run } from '../../platform/jobs/job.ts'
import { processChunks } from '../../platform/jobs/process-due.ts'
import { pullStudents } from '../../erp/pull/pull.service.ts'
import type { FlexContext } from '../context.ts'
import { cancelAtProvider } from '../mandates/cancel-at-provider.ts'
import { insertDecisions } from './decisions.store.ts'
import { loadPlans, lockPlans } from '../plans/plans.store.ts'
import { withPlans } from '../plans/with-plans.service.ts'
import { debitContextOf, nextStep, type DebitRules, type Step } from '../rules/debit.rules.ts'
import type { LoadedPlan } from '../rules/plan.rules.ts'
import { readDebitRules } from '../settings/debit-rules.service.ts'
import { announceAll } from './announce.service.ts'
import { applyErpAnswer, takeQuietStep } from './debit.ts'
import { claimSteps, holdSteps, nextStepDue, setAside, type DueInstalment } from './engine.store.ts'
import { presentAll } from './present.service.ts'

/**
 * The engine: takes instalments whose moment has come and lets each take its next step. What it decides it decides again
 * under the plan's lock, because the ERP was asked, or a person acted, in between. A thousand instalments cost as many
 * calls to their ERPs and few statements more than one.
 * While one chunk is read or written, the calls of others keep its ERP busy.
 */
export function runSteps(ctx: FlexContext): Run {
  return processChunks(
    limit => claimSteps(ctx.db, ctx.clock.now(), limit),
    due => takeSteps(ctx, due),
  )
}

type Each = (
  some: readonly DueInstalment[],
  act: (part: readonly DueInstalment[]) => Promise<void>,
) => Promise<void>

async function takeSteps(ctx: FlexContext, due: readonly DueInstalment[]): Promise<void> {
  const plans = await loadPlans(ctx.db, due)
  const debitRules = await readDebitRules(ctx)
  const byStep = Map.groupBy(due, one => stepOf(plans, one, debitRules)?.kind ?? 'rest')
  const failures: unknown[] = []
  const each: Each = (some, act) =>
    bisectOnFailure(some, act, async (one, error) => {
      failures.push(error)
      await putAside(ctx, one)
    })
  const {
    fetch = [],
    announce = [],
    present = [],
    wait = [],
    move = [],
    rest = [],
  } = Object.fromEntries(byStep)
  await each([...wait, ...move, ...rest], some => takeQuietSteps(ctx, some))
  // Before the ERPs are waited for: a bank's window closes.
  await each(present, some => presentAll(ctx, some))
  await each(announce, some => announceAll(ctx, some, debitRules))
  await each(fetch, some => fetchAll(ctx, some, plans, each))
  // Everything else is done; now the caller gets the error.
  if (failures.length > 0) throw failures[0]
}

function stepOf(
  plans: ReadonlyMap<string, LoadedPlan>,
  { planId, instalmentId }: DueInstalment,
  debitRules: DebitRules,
): Step | null {
  const plan = plans.get(planId)
  const instalment = plan?.instalments.find(({ id }) => id === instalmentId)
  if (plan === undefined || instalment === undefined) return null
  return nextStep(debitContextOf(plan, instalment, debitRules))
}

async function takeQuietSteps(ctx: FlexContext, due: readonly DueInstalment[]): Promise<void> {
  await withPlans(ctx, due, plans => {
    for (const { planId, instalmentId } of due) {
      const plan = plans.get(planId)
      const instalment = plan?.find(instalmentId)
      if (plan !== undefined && instalment !== undefined)
        takeQuietStep(plan, instalment, nextStep(plan.contextOf(instalment)))
    }
  })
}

const HOLD_AGAIN_MS = 40_000

async function fetchAll(
  ctx: FlexContext,
  due: readonly DueInstalment[],
  plans: ReadonlyMap<string, LoadedPlan>,
  each: Each,
): Promise<void> {
  const students = due.map(({ instituteId, planId }) => ({
    instituteId,
    studentId: plans.get(planId)?.plan.studentId ?? '',
    reason: 'presentation' as const,
  }))
  // A slow ERP may take longer than the lease lasts.
  const timer = setInterval(() => void holdSteps(ctx.db, due).catch(() => {}), HOLD_AGAIN_MS)
  const pulled = await pullStudents(ctx, students).finally(() => clearInterval(timer))
  const answers = new Map(due.map((one, index) => [one, pulled[index]]))
  // The answers are here: who cannot be written is not asked about again.
  await each(due, async some => {
    const cancelled = await withPlans(ctx, some, locked => {
      const before = [...locked.values()].filter(({ plan }) => plan.state !== 'cancelled')
      for (const one of some) {
        const plan = locked.get(one.planId)
        const answer = answers.get(one)
        if (plan !== undefined && answer !== undefined) applyErpAnswer(plan, one.instalmentId, answer)
      }
      return before.filter(({ plan }) => plan.state === 'cancelled')
    })
    for (const { mandate } of cancelled) if (mandate !== null) await cancelAtProvider(ctx, mandate)
  })
}

const ASIDE_MS = 60 * 60_000

/** It could not be written, which is our bug: the others go on, a person sees it, and it is tried again in an hour. */
async function putAside({ db, clock }: FlexContext, one: DueInstalment): Promise<void> {
  const now = clock.now()
  await db.transaction(async tx => {
    await lockPlans(tx, [one])
    await setAside(tx, one, new Date(now.getTime() + ASIDE_MS))
    const why = 'its next step failed on our side; tried again in an hour'
    await insertDecisions(tx, [{ ...one, decidedAt: now, what: 'set aside', why }])
  })
}

export async function nextStepAt({ db }: FlexContext): Promise<Date | null> {
  return nextStepDue(db)
}
