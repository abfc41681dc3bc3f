import { dayOf } from '../../platform/calendar.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import { isPlanBalanced, type LoadedPlan } from '../rules/plan.rules.ts'
import { isBalanced } from '../rules/rebalance.rules.ts'
import { listLivePlans, loadPlans, type PlanKey } from './plans.store.ts'
import { applyCause } from '../rules/plan-causes.rules.ts'
import { withPlan, type PlanContext } from './with-plans.service.ts'

/**
 * Plans follow money that moves elsewhere: a payment at the counter, another fee, what a parent paid online. Every reader
 * of a plan rebalances it first, and the engine looks through all of them again and again, so that a notice is
 * withdrawn and a plan closed without waiting for the day of its next instalment.
 */
export async function readBalanced(
  ctx: PlanContext,
  keys: readonly PlanKey[],
): Promise<Map<string, LoadedPlan>> {
  if (keys.length === 0) return new Map()
  const plans = await loadPlans(ctx.db, keys)
  const unbalanced = await findUnbalanced(ctx, plans)
  if (unbalanced.length === 0) return plans
  for (const key of unbalanced) await rebalanceOne(ctx, key)
  return loadPlans(ctx.db, keys)
}

/** Reads only: nearly always there is none. */
async function findUnbalanced(
  { db, clock }: PlanContext,
  loaded: ReadonlyMap<string, LoadedPlan>,
): Promise<PlanKey[]> {
  const now = clock.now()
  const live = [...loaded.values()].filter(({ plan }) => isPlanBalanced(plan, now))
  if (live.length === 0) return []
  const students = await readStudentContexts(
    db,
    live.map(({ plan }) => plan),
  )
  return live.flatMap(one => {
    const { instituteId, id: planId, studentId } = one.plan
    const student = students.get(studentId)
    return student === undefined || isBalanced(one, student, dayOf(now)) ? [] : [{ instituteId, planId }]
  })
}

async function rebalanceOne(ctx: PlanContext, key: PlanKey): Promise<void> {
  await withPlan(ctx, key, plan => {
    if (isPlanBalanced(plan.plan, plan.now)) applyCause(plan, { kind: 'owed_changed' })
  })
}

/** All of them at once: before a sandbox clock moves on, what happened until now counts as of now. */
export async function rebalanceAll(ctx: PlanContext): Promise<void> {
  for (let after: PlanKey | null = null, isMore = true; isMore;) {
    const keys: PlanKey[] = await listLivePlans(ctx.db, ctx.clock.now(), after, ROUND)
    const unbalanced = await findUnbalanced(ctx, await loadPlans(ctx.db, keys))
    for (const key of unbalanced) await rebalanceOne(ctx, key).catch(() => {})
    after = keys.at(-1) ?? null
    isMore = keys.length === ROUND
  }
}

const ROUND = 500
const ROUND_EVERY_MS = 5_000

/** Where the look through all plans of a database stands, in real time; `isUnfinished` when it is to go on by itself. */
const rounds = new WeakMap<object, { at: number; after: PlanKey | null; isUnfinished: boolean }>()

/** When this process is to look at the next few; null when it has seen all: a write wakes it, and a new day is seen within a minute. */
export async function nextRebalanceDue({ db, clock }: PlanContext): Promise<Date | null> {
  const last = rounds.get(db)
  if (last?.isUnfinished !== true) return null
  return new Date(clock.now().getTime() + last.at + ROUND_EVERY_MS - performance.now())
}

/** Looks at the next few; what fails here fails again at its next step, and is reported there. Returns how many were rebalanced. */
export async function rebalanceSome(ctx: PlanContext): Promise<number> {
  const last = rounds.get(ctx.db) ?? { at: -Infinity, after: null }
  const at = performance.now()
  if (at - last.at < ROUND_EVERY_MS) {
    rounds.set(ctx.db, { ...last, isUnfinished: true })
    return 0
  }
  rounds.set(ctx.db, { ...last, at, isUnfinished: true })
  const keys = await listLivePlans(ctx.db, ctx.clock.now(), last.after, ROUND)
  const isUnfinished = keys.length === ROUND
  rounds.set(ctx.db, { at, after: isUnfinished ? (keys.at(-1) ?? null) : null, isUnfinished })
  const unbalanced = await findUnbalanced(ctx, await loadPlans(ctx.db, keys))
  for (const key of unbalanced) await rebalanceOne(ctx, key).catch(() => {})
  return unbalanced.length
}
