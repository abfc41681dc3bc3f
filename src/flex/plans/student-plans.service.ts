import type { Context } from '../../platform/context.ts'
import { readFitted } from './rebalance.service.ts'
import type { LoadedPlan } from '../rules/plan.rules.ts'
import { findPlansOf, listPlanKeys } from './student-plans.store.ts'

/** By student id: the plan that is not over, else the newest; a student without one is not there. */
export async function readPlansOf(
  ctx: Context,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Map<string, LoadedPlan>> {
  if (studentIds.length === 0) return new Map()
  const keys = await findPlansOf(ctx.db, instituteId, studentIds)
  const files = await readFitted(ctx, keys)
  return new Map([...files.values()].map(file => [file.plan.studentId, file]))
}

/** All plans that a student ever had, newest first. */
export async function listPlansOf(
  ctx: Context,
  instituteId: number,
  studentId: string,
  limit: number,
): Promise<LoadedPlan[]> {
  const keys = await listPlanKeys(ctx.db, instituteId, studentId, limit)
  const files = await readFitted(ctx, keys)
  return keys.flatMap(({ planId }) => files.get(planId) ?? [])
}
