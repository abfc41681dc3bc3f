import type { Institute } from '../../institutes/institutes.rules.ts'
import { alreadyOnTheWay } from '../../payments/on-the-way.rules.ts'
import { listOnTheWay, listStarted } from '../../payments/student-payments.service.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, conflict, notFound, type FieldProblem } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import type { FlexContext } from '../context.ts'
import { cancelAtProvider, cancelWithMandate } from '../mandates/end-mandate.ts'
import { endHold, hold } from '../rules/hold.rules.ts'
import { withdrawNotice } from '../rules/plan-in-change.rules.ts'
import { abandonDraft, draftPlan, replaceableDraft, type WantedSchedule } from './draft-plan.service.ts'
import { closeDownPayment } from './end-plan.service.ts'
import type { PlanChanges } from './plan-changes.service.ts'
import { withPlan, withPlans, type PlanContext } from './with-plans.service.ts'
import { firstDayFor } from '../rules/debit.rules.ts'
import {
  isMandateLive,
  isOpen,
  isPlanLive,
  isPlanOver,
  isToCome,
  type Instalment,
  type LoadedPlan,
} from '../rules/plan.rules.ts'
import { lastDueDay } from '../rules/schedule.rules.ts'
import { readDebitRules, getFlexSettings } from '../settings/settings.service.ts'
import * as store from './plans.store.ts'
import { type Payment, heldUntil } from '../../payments/payments.rules.ts'
import { listPayments } from '../../payments/payments.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { findInstalmentOrder, listPresentations, listDecisions } from '../engine/engine.store.ts'
import type { ScheduleRow as ErpScheduleRow } from '../../erp/erp.rules.ts'
import { planDifferences, scheduleRowOf } from '../rules/erp-schedule.rules.ts'
import type { PlanHistory } from './plan.schemas.ts'
import { listStudentsWithPlan } from './plans.store.ts'
import { readBalanced } from './rebalance.service.ts'
import type { ReadUnsettled } from '../../students/rollover/rollover.service.ts'

/** Makes a draft, or replaces the one there is; a plan that was set up is not replaced. */
export async function createPlan(
  ctx: FlexContext,
  command: Command<LoadedPlan>,
  institute: Institute,
  { studentId, ...wanted }: { studentId: string } & WantedSchedule,
): Promise<LoadedPlan> {
  return transact(ctx.db, command, async tx => {
    await store.lockPlanning(tx, institute.id, studentId)
    const student = (await readStudentContexts(tx, [{ instituteId: institute.id, studentId }])).get(studentId)
    if (student === undefined) throw notFound('This student')
    if (student.student.status !== 'active') throw conflict('This student is dropped. Activate it first.')
    await refuseOnTheWay(tx, institute.id, studentId)
    const settings = await getFlexSettings({ db: tx }, institute)
    const keys = await store.findPlansOf(tx, institute.id, [studentId])
    const replace = async (plans: Iterable<PlanChanges>): Promise<LoadedPlan> => {
      const [latest] = plans
      const known = replaceableDraft(latest)
      if (known !== null) await abandonDraft(tx, known)
      const debitRules = await readDebitRules(ctx, tx)
      const draft = draftPlan({ institute, student, settings, wanted, known, debitRules })
      if (known !== null) await store.deleteDraftInstalments(tx, institute.id, draft.plan.id)
      await store.savePlans(tx, [draft.plan])
      await store.saveInstalments(tx, draft.instalments)
      return draft
    }
    return withPlans(ctx, keys, plans => replace(plans.values()), { tx })
  })
}

/** A plan takes all that is owed, so it cannot be made while a part of that is on the way. */
async function refuseOnTheWay(tx: Transaction, instituteId: number, studentId: string): Promise<void> {
  const onTheWay = await listOnTheWay(tx, instituteId, [studentId])
  // The down payment of a draft that is made anew has a refusal of its own.
  const others = onTheWay.filter(one => one.orderKind !== 'downpayment')
  if (others.length > 0) throw alreadyOnTheWay(others)
}

/** A plan as it became, and as it was under the same lock. */
export type ChangedPlan = LoadedPlan & { before: LoadedPlan }

/** An instalment by its due date in the student's plan, or by its id in a plan of that id. */
type Rescheduling = { newDueOn: string } & (
  | { studentId: string; dueOn: string }
  | { planId: string; instalmentId: string }
)

/** Moves one instalment that is still to come to another day. */
export async function reschedule(
  ctx: FlexContext,
  command: Command<ChangedPlan>,
  institute: Institute,
  asked: Rescheduling,
): Promise<ChangedPlan> {
  return transact(ctx.db, command, async tx => {
    const [key] =
      'planId' in asked
        ? [{ instituteId: institute.id, planId: asked.planId }]
        : await store.findPlansOf(tx, institute.id, [asked.studentId])
    if (key === undefined) throw notFound('A plan of this student')
    return withPlan(ctx, key, plan => moveDueDay(plan, asked), { tx })
  })
}

function moveDueDay(plan: PlanChanges, asked: Rescheduling): ChangedPlan {
  const { newDueOn } = asked
  const before = plan.snapshot()
  const today = dayOf(plan.now)
  const instalment = findAsked(plan, asked)
  if (isPlanOver(plan.plan))
    throw conflict(`This plan is ${plan.plan.state}, so nothing of it is debited any more.`)
  if (instalment.isDownpayment) throw conflict('A down payment is paid at set-up and has no day to move.')
  if (!isOpen(instalment)) throw conflict(`The instalment is ${instalment.state}, so its day stays.`)
  if (instalment.stoppedAt !== null)
    throw conflict('The family has stopped this charge: it is paid online, or you cancel it.')
  if (plan.plan.state === 'active' && !isMandateLive(plan.mandate))
    throw conflict('There is no mandate to debit: it is paid online, or the payer gives a new mandate first.')
  if (newDueOn < today) throw badField('new_due_date', 'is in the past')
  if (newDueOn > (plan.mandate?.endOn ?? lastDueDay(today)))
    throw badField('new_due_date', 'is after the end of the mandate')
  if (before.instalments.some(one => one.id !== instalment.id && one.dueOn === newDueOn && isOpen(one)))
    throw badField('new_due_date', 'is the due date of another instalment')
  const presentOn = firstDayFor(plan.contextOf({ ...instalment, dueOn: newDueOn }), plan.rail, newDueOn)
  const why = `from ${instalment.dueOn} to ${newDueOn}, as asked`
  const change = { dueOn: newDueOn, presentOn, notifiedAt: null, fetchTries: 0, nextStepAt: plan.now }
  if (instalment.state === 'scheduled') {
    plan.note(instalment, 'rescheduled', why)
    plan.change(instalment, change)
  } else if (instalment.state === 'confirmed') withdrawNotice(plan, instalment, why, change)
  else plan.move(instalment, 'scheduled', why, change)
  plan.recordSchedule(before)
  return plan
}

/** An open instalment of the day comes first: what was refunded of a paid one has its due day, and can be moved. */
function findAsked({ instalments }: LoadedPlan, asked: Rescheduling): Instalment {
  const meant = instalments.filter(one =>
    'planId' in asked
      ? one.id === asked.instalmentId
      : one.dueOn === asked.dueOn && !one.isDownpayment && !one.isCharge,
  )
  const found = meant.find(isOpen) ?? meant[0]
  if (found !== undefined) return found
  throw 'planId' in asked
    ? notFound('This instalment')
    : badField('due_date', 'is the due date of no instalment')
}

/** Who asked for it: an institute's hold is not a parent's to end. */
export type Asker = 'institute' | 'payer'

export async function cancelPlan(
  ctx: FlexContext,
  command: Command<ChangedPlan>,
  key: store.PlanKey,
  asker: Asker = 'institute',
): Promise<ChangedPlan> {
  const cancelled = await transact(ctx.db, command, async tx =>
    withPlan(
      ctx,
      key,
      async plan => {
        if (isPlanOver(plan.plan)) throw conflict(`This plan is ${plan.plan.state} already.`)
        cancelWithMandate(plan, `cancelled by the ${asker}`)
        await closeDownPayment(tx, plan)
        return plan
      },
      { tx },
    ),
  )
  if (cancelled.mandate !== null) await cancelAtProvider(ctx, cancelled.mandate)
  return cancelled
}

export async function holdPlan(
  ctx: FlexContext,
  command: Command<ChangedPlan>,
  key: store.PlanKey,
  asker: Asker = 'institute',
): Promise<ChangedPlan> {
  const holdIt = (plan: PlanChanges): ChangedPlan => {
    if (!isPlanLive(plan.plan)) throw conflict(`A plan that is ${plan.plan.state} cannot be held.`)
    // The school may hold what the payer has paused: it stays held when the payer goes on.
    const isTakenOver = plan.plan.heldBy === 'upi_app' && asker === 'institute'
    if (plan.plan.isHeld && !isTakenOver) throw conflict('This plan is held already.')
    hold(plan, asker)
    return plan
  }
  return transact(ctx.db, command, tx => withPlan(ctx, key, holdIt, { tx }))
}

/** Ends a hold, or a lock that the ERP's answer put on it. */
export async function resumePlan(
  ctx: FlexContext,
  command: Command<ChangedPlan>,
  key: store.PlanKey,
  asker: Asker = 'institute',
): Promise<ChangedPlan> {
  const resume = (plan: PlanChanges): ChangedPlan => {
    if (isPlanOver(plan.plan)) throw conflict(`A plan that is ${plan.plan.state} cannot be resumed.`)
    const canUnlock =
      asker === 'institute' && plan.plan.state === 'locked' && plan.mandate?.state === 'active'
    if (!plan.plan.isHeld && !canUnlock)
      throw conflict('This plan is neither held nor locked in a way that a person can end.')
    if (plan.mandate?.state === 'active' && plan.mandate.payerPausedAt !== null)
      throw conflict(
        'The payer has paused the mandate in the UPI app. Debits go on when it is resumed there.',
      )
    if (canUnlock) plan.unlock('resumed by the institute')
    if (plan.plan.isHeld) endHold(plan, asker)
    else plan.note(null, 'resumed', `by the ${asker}`)
    for (const one of plan.instalments.filter(isToCome)) plan.change(one, { nextStepAt: plan.now })
    return plan
  }
  return transact(ctx.db, command, tx => withPlan(ctx, key, resume, { tx }))
}

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
