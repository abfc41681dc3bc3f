import type { FlexContext } from '../../flex/context.ts'
import { readPlan } from '../../flex/plans/plan-reads.service.ts'
import { withAttempts } from '../../flex/plans/plan.schemas.ts'
import { debitContextOf } from '../../flex/rules/debit.rules.ts'
import type { Instalment, LoadedPlan } from '../../flex/rules/plan.rules.ts'
import { readDebitRules } from '../../flex/settings/settings.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { assert } from '../../platform/assert.ts'
import { statusOf } from './flex.rules.ts'
import { nextStepText, planObstacle } from './flex.texts.ts'
import type { PlanDetail } from './plan.schemas.ts'
import * as store from './plans.store.ts'

const NEWEST = 200

/** A plan with everything that was tried, decided, told and done. */
export async function readPlanDetail(
  flex: FlexContext,
  institute: Institute,
  planId: string,
): Promise<PlanDetail> {
  const [loaded, student, entries, debitRules] = await Promise.all([
    readPlan(flex, institute, planId),
    store.readPlanStudent(flex.db, institute.id, planId),
    store.readTimeline(flex.db, institute.id, planId, NEWEST),
    readDebitRules(flex),
  ])
  assert(student !== null, 'a plan has a student')
  const planned = withAttempts(loaded).map(one => {
    const presentedAt = one.attempts.at(-1)?.presentedAt ?? null
    const context = debitContextOf(loaded, one, debitRules)
    return { ...one, plan: loaded.plan, next: nextTextOf(loaded, one, { context, presentedAt }) }
  })
  return { ...loaded, student, obstacle: planObstacle(loaded.plan), planned, entries }
}

function nextTextOf(
  { plan }: LoadedPlan,
  instalment: Instalment,
  known: Pick<Parameters<typeof nextStepText>[0], 'context' | 'presentedAt'>,
): string {
  if (instalment.isDownpayment && instalment.state === 'scheduled')
    return 'The family pays it online when it sets the plan up.'
  if (plan.state === 'draft') return 'Nothing happens before the family has set the plan up.'
  const status = statusOf(instalment, plan)
  // The page says once why the plan waits.
  if (status === 'stopped') return 'Waits until the plan goes on.'
  return status === 'cancelled' ? 'Nothing is debited: it was cancelled.' : nextStepText({ status, ...known })
}
