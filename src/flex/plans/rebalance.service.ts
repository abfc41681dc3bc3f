import type { Pulled, PullReason } from '../../erp/pull/pull.service.ts'
import type { FlexContext } from '../context.ts'
import type { PlanChanges } from './plan-changes.service.ts'
import { listLivePlans, loadPlans, type PlanKey } from './plans.store.ts'
import { pullWithPlans } from './end-plan.service.ts'
import { type PlanContext, withPlan, withPlans } from './with-plans.service.ts'
import { scheduleRowOf } from '../rules/erp-schedule.rules.ts'
import { applyCause } from '../rules/plan-causes.rules.ts'
import { isPlanBalanced, type LoadedPlan } from '../rules/plan.rules.ts'
import { isBalanced } from '../rules/rebalance.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'

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

/** A plan after its ERP was asked. */
export type RefreshedPlan = { plan: PlanChanges; answer: Pulled }

/**
 * Asks the ERPs about the students of these plans, each student once, and brings the plans up to date; in the order asked
 * for.
 */
export async function refreshPlans(
  ctx: FlexContext,
  asked: readonly (PlanKey & { studentId: string })[],
  reason: PullReason,
): Promise<(RefreshedPlan | undefined)[]> {
  const students = [...new Map(asked.map(one => [one.studentId, one])).values()]
  const pulled = await pullWithPlans(
    ctx,
    students.map(({ instituteId, studentId }) => ({ instituteId, studentId, reason })),
  )
  const answers = new Map(students.map(({ studentId }, index) => [studentId, pulled[index]]))
  return withPlans(ctx, asked, plans =>
    asked.map(({ planId, studentId }) => {
      const plan = plans.get(planId)
      const answer = answers.get(studentId)
      if (plan === undefined || answer === undefined) return undefined
      followErp(plan, answer)
      return { plan, answer }
    }),
  )
}

/** Brings a plan up to date with what its ERP just said of the student: by its own schedule, or by what is owed. */
export function followErp(plan: PlanChanges, answer: Pulled): void {
  if (answer.kind === 'not_configured') applyCause(plan, { kind: 'owed_changed' })
  if (answer.kind !== 'found') return
  const { isCustomSchedule, paymentSchedule } = answer
  if (!isCustomSchedule) applyCause(plan, { kind: 'erp_sends_no_schedules' })
  else if (paymentSchedule === null) applyCause(plan, { kind: 'owed_changed' })
  else applyCause(plan, { kind: 'erp_sent_schedule', rows: paymentSchedule.map(scheduleRowOf) })
}
