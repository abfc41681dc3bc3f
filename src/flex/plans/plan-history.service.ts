import type { Institute } from '../../institutes/institutes.rules.ts'
import type { FlexContext } from '../context.ts'
import { listDecisions, type Decision, type PlanKey } from './plans.store.ts'
import { getPlan } from './plans.service.ts'
import type { LoadedPlan } from '../rules/plan.rules.ts'
import { listPresentations, type PresentationRow } from '../engine/presentations.store.ts'

export type { PresentationRow } from '../engine/presentations.store.ts'

/** A plan with all that was tried and decided: what a bursar reads to know why. */
export type PlanHistory = { file: LoadedPlan; presentations: PresentationRow[]; decisions: Decision[] }

const NEWEST = 100

export async function readPlan(
  flex: FlexContext,
  institute: Institute,
  planId: string,
): Promise<PlanHistory> {
  const file = await getPlan(flex, institute, planId)
  const key = { instituteId: institute.id, planId }
  const [presentations, decisions] = await Promise.all([
    listPresentations(flex.db, key),
    listDecisions(flex.db, key, NEWEST),
  ])
  return { file, presentations, decisions }
}

/** Every presentation of a plan's instalments, oldest first. */
export async function listPlanPresentations({ db }: FlexContext, key: PlanKey): Promise<PresentationRow[]> {
  return listPresentations(db, key)
}
