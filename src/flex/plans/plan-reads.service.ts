import type { Institute } from '../../institutes/institutes.rules.ts'
import { type Payment, heldUntil } from '../../payments/payments.rules.ts'
import { listPayments } from '../../payments/payments.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { notFound, type FieldProblem } from '../../platform/errors.ts'
import { findInstalmentOrder, listPresentations, listDecisions } from '../engine/engine.store.ts'
import type { ScheduleRow as ErpScheduleRow } from '../../erp/erp.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import { planDifferences, scheduleRowOf } from '../rules/erp-schedule.rules.ts'
import { isPlanLive, type LoadedPlan } from '../rules/plan.rules.ts'
import type { PlanHistory } from './plan.schemas.ts'
import * as store from './plans.store.ts'
import { listStudentsWithPlan } from './plans.store.ts'
import { readBalanced } from './rebalance.service.ts'
import type { PlanContext } from './with-plans.service.ts'
import { listOnTheWay, listStarted } from '../../payments/student-payments.service.ts'
import type { ReadUnsettled } from '../../students/rollover/rollover.service.ts'

export async function getPlan(ctx: PlanContext, institute: Institute, planId: string): Promise<LoadedPlan> {
  const plan = (await readBalanced(ctx, [{ instituteId: institute.id, planId }])).get(planId)
  if (plan === undefined) throw notFound('This plan')
  return plan
}

/** The plan of a student that is not over, else the newest. */
export async function getPlanOf(
  ctx: PlanContext,
  institute: Institute,
  studentId: string,
): Promise<LoadedPlan> {
  const plan = (await readPlansOf(ctx, institute.id, [studentId])).get(studentId)
  if (plan === undefined) throw notFound('A plan of this student')
  return plan
}

/** Maps each student to the plan that is not over, else the newest; a student without one is missing. */
export async function readPlansOf(
  ctx: PlanContext,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Map<string, LoadedPlan>> {
  if (studentIds.length === 0) return new Map()
  const plans = await readBalanced(ctx, await store.findPlansOf(ctx.db, instituteId, studentIds))
  return new Map([...plans.values()].map(one => [one.plan.studentId, one]))
}

/** All plans that a student ever had, newest first. */
export async function listPlansOf(
  ctx: PlanContext,
  instituteId: number,
  studentId: string,
  limit: number,
): Promise<LoadedPlan[]> {
  const keys = await store.listPlanKeys(ctx.db, instituteId, studentId, limit)
  const plans = await readBalanced(ctx, keys)
  return keys.flatMap(({ planId }) => plans.get(planId) ?? [])
}

/** Lists where the student's plan would not follow these rows of its ERP; empty for a plan that is not set up. */
export async function findPlanDifferences(
  { db, clock }: Pick<PlanContext, 'db' | 'clock'>,
  { instituteId, studentId }: { instituteId: number; studentId: string },
  rows: readonly ErpScheduleRow[],
): Promise<FieldProblem[]> {
  const keys = await store.findPlansOf(db, instituteId, [studentId])
  const [loaded] = (await store.loadPlans(db, keys)).values()
  if (loaded === undefined || !isPlanLive(loaded.plan)) return []
  return planDifferences(loaded, rows.map(scheduleRowOf), dayOf(clock.now()))
}

const NEWEST = 100

export async function readPlan(ctx: PlanContext, institute: Institute, planId: string): Promise<PlanHistory> {
  const plan = await getPlan(ctx, institute, planId)
  const key = { instituteId: institute.id, planId }
  const [presentations, decisions] = await Promise.all([
    listPresentations(ctx.db, key),
    listDecisions(ctx.db, key, NEWEST),
  ])
  return { ...plan, presentations, decisions }
}

/** Plans as they are stored, for lists. */
export async function readPlans(
  { db }: PlanContext,
  keys: readonly store.PlanKey[],
): Promise<Map<string, LoadedPlan>> {
  return store.loadPlans(db, keys)
}

/** The payment of the presentation that is out or stands; null when there is none. */
export async function paymentOfInstalment(
  ctx: PaymentContext,
  instituteId: number,
  instalmentId: string,
): Promise<Payment | null> {
  const instalment = await findInstalmentOrder(ctx.db, instituteId, instalmentId)
  if (instalment === null) throw notFound('This instalment')
  if (instalment.orderId === null) return null
  const [latest] = await listPayments(ctx, instituteId, instalment.orderId)
  return latest ?? null
}

const PLAN =
  'Nothing was carried: an instalment plan collects what is due of the old year. Repeat the rollover when the plan has ended.'
const PAYMENT =
  'Nothing was carried: a payment of this student is under way. Repeat the rollover when the bank has reported.'

/** Students from whom nothing can be carried to the next year for now, with the reason. */
export const readUnsettled: ReadUnsettled = async (db, { instituteId, studentIds, now }) => {
  const [planned, onTheWay, started] = await Promise.all([
    listStudentsWithPlan(db, instituteId, studentIds),
    listOnTheWay(db, instituteId, studentIds),
    listStarted(db, instituteId, studentIds),
  ])
  const held = started.filter(payment => heldUntil(payment) > now)
  return new Map([
    ...[...onTheWay, ...held].map(({ studentId }) => [studentId, PAYMENT] as const),
    ...planned.map(studentId => [studentId, PLAN] as const),
  ])
}
