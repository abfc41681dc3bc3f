import type { Institute } from '../../institutes/institutes.rules.ts'
import { closeUnpaid } from '../../orders/order-payments.service.ts'
import { isBeingPaid } from '../../payments/payments.service.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { readStudentContexts, type StudentContext } from '../../students/student-contexts.service.ts'
import { Desk } from './plan-changes.ts'
import { readFitted } from './rebalance.service.ts'
import type { FlexContext } from '../context.ts'
import { flexEvent, scheduleRowBlock } from './plan-events.ts'
import * as store from './plans.store.ts'
import { firstDayFor } from '../rules/debit.rules.ts'
import { isOpen, type LoadedPlan } from '../rules/plan.rules.ts'
import { tellChanges } from './rebalance.ts'
import { lastDueDay } from '../rules/schedule.rules.ts'
import { debitContextOf } from '../rules/debit.rules.ts'
import { readDebitRules } from '../settings/debit-rules.service.ts'
import { cancelAtProvider } from '../mandates/provider-cancel.ts'
import { stopPlan } from './cancel-plan.ts'
import { draftPlan, type WantedSchedule } from './draft-plan.ts'
import { withdrawNotice, withdrawNotices, type PlanScene } from '../notices/withdraw-notice.ts'

/** Makes a draft, or replaces the one there is; a plan that was set up is not replaced. */
export async function createPlan(
  flex: FlexContext,
  command: Command<LoadedPlan>,
  institute: Institute,
  wanted: { studentId: string } & WantedSchedule,
): Promise<LoadedPlan> {
  return transact(flex.db, command, async tx => {
    await store.lockPlanning(tx, institute.id, wanted.studentId)
    const student = await requireStudent(tx, institute.id, wanted.studentId)
    if (student.student.status !== 'active') throw conflict('This student is dropped. Activate it first.')
    const known = await findFile(tx, institute.id, wanted.studentId)
    const isLive = known !== null && known.plan.state !== 'cancelled' && known.plan.state !== 'closed'
    if (isLive && known.plan.state !== 'draft')
      throw conflict('This student has a plan that is set up. Cancel it first.', { plan_id: known.plan.id })
    if (
      isLive &&
      known.instalments.some(({ state, isDownpayment }) => isDownpayment && state !== 'scheduled')
    )
      throw conflict('The down payment of this plan is paid, so its schedule stays.', {
        plan_id: known.plan.id,
      })
    if (isLive) await letGoOf(flex, tx, known)
    return draftPlan(flex, tx, { institute, student, wanted, known: isLive ? known : null })
  })
}

/** What was begun for a draft that is replaced must not be finished: its order is closed, its mandate forgotten. */
async function letGoOf(flex: FlexContext, tx: Transaction, file: LoadedPlan): Promise<void> {
  if (file.mandate !== null && file.mandate.authorisedAt !== null)
    throw conflict('The payer has authorised this plan; the bank is confirming it.', {
      plan_id: file.plan.id,
    })
  const desk = new Desk(flex.clock.now())
  const orders = file.instalments.flatMap(({ orderId }) => orderId ?? [])
  await closeUnpaid(tx, file.plan.instituteId, orders, desk.now)
  // Closed by now, so that none begins while we look.
  for (const orderId of orders)
    if (await isBeingPaid(tx, file.plan.instituteId, orderId))
      throw conflict('The down payment of this plan is being paid. Try again when that is over.', {
        plan_id: file.plan.id,
      })
  if (file.mandate?.state === 'pending')
    desk.moveMandate(file, 'cancelled', 'the schedule was replaced', { nextCheckAt: null })
  await desk.write(tx)
}

export async function getPlan(flex: FlexContext, institute: Institute, planId: string): Promise<LoadedPlan> {
  const file = (await readFitted(flex, [{ instituteId: institute.id, planId }])).get(planId)
  if (file === undefined) throw notFound('This plan')
  return file
}

export async function getPlanOf(
  flex: FlexContext,
  institute: Institute,
  studentId: string,
): Promise<LoadedPlan> {
  const planId = await store.findPlanOf(flex.db, institute.id, studentId)
  if (planId === null) throw notFound('A plan of this student')
  return getPlan(flex, institute, planId)
}

/** Moves one instalment that is still to come to another day. */
export async function reschedule(
  flex: FlexContext,
  command: Command<LoadedPlan>,
  institute: Institute,
  /** By its day, or, where two fell on one day, by its id as well. */
  asked: { studentId: string; dueOn: string; newDueOn: string; instalmentId?: string },
): Promise<LoadedPlan> {
  return transact(flex.db, command, async tx => {
    const known = await findFile(tx, institute.id, asked.studentId)
    if (known === null) throw notFound('A plan of this student')
    return change(flex, tx, known.plan, (desk, { file, student }, debitRules) => {
      const instalment = file.instalments.find(
        ({ id, dueOn, isDownpayment }) =>
          dueOn === asked.dueOn && !isDownpayment && (asked.instalmentId ?? id) === id,
      )
      if (file.plan.state === 'cancelled' || file.plan.state === 'closed')
        throw conflict(`This plan is ${file.plan.state}, so nothing of it is debited any more.`)
      if (instalment === undefined) throw badField('due_date', 'is the due date of no instalment')
      if (!isOpen(instalment)) throw conflict(`The instalment is ${instalment.state}, so its day stays.`)
      if (asked.newDueOn < dayOf(desk.now)) throw badField('new_due_date', 'is in the past')
      if (asked.newDueOn > (file.mandate?.endOn ?? lastDueDay(dayOf(desk.now))))
        throw badField('new_due_date', 'is after the end of the mandate')
      if (
        file.instalments.some(one => one.id !== instalment.id && one.dueOn === asked.newDueOn && isOpen(one))
      )
        throw badField('new_due_date', 'is the due date of another instalment')
      const before = file.instalments
      const rail = debitRules.rules.rails[file.mandate?.rail ?? 'enach']
      const moved = { ...instalment, dueOn: asked.newDueOn }
      const presentOn = firstDayFor(debitContextOf(file, moved, debitRules), rail, asked.newDueOn)
      const fresh = {
        dueOn: asked.newDueOn,
        presentOn,
        notifiedAt: null,
        fetchTries: 0,
        nextStepAt: desk.now,
      }
      const why = `from ${asked.dueOn} to ${asked.newDueOn}, as asked`
      if (instalment.state === 'scheduled') {
        desk.note(file, instalment, 'rescheduled', why)
        desk.change(file, instalment, fresh)
      } else if (instalment.state === 'confirmed')
        withdrawNotice(desk, { file, student }, instalment, { ...fresh, why })
      else desk.move(file, instalment, 'scheduled', why, fresh)
      tellChanges(desk, file, student, before)
    })
  })
}

/** Who asked for it: an institute's hold is not a parent's to end. */
export type Asker = 'institute' | 'payer'

export async function cancelPlan(
  flex: FlexContext,
  command: Command<LoadedPlan>,
  key: store.PlanKey,
  asker: Asker = 'institute',
): Promise<LoadedPlan> {
  const cancelled = await transact(flex.db, command, async tx => {
    const file = await change(flex, tx, planOf(key), (desk, scene) => cancelFor(asker, desk, scene))
    const orders = file.instalments.flatMap(({ orderId, isDownpayment }) =>
      isDownpayment ? (orderId ?? []) : [],
    )
    await closeUnpaid(tx, key.instituteId, orders, flex.clock.now())
    return file
  })
  if (cancelled.mandate !== null) await cancelAtProvider(flex, cancelled.mandate)
  return cancelled
}

function cancelFor(asker: Asker, desk: Desk, scene: PlanScene): void {
  const { state } = scene.file.plan
  if (state === 'cancelled' || state === 'closed') throw conflict(`This plan is ${state} already.`)
  stopPlan(desk, scene, { why: `cancelled by the ${asker}` })
}

export async function holdPlan(
  flex: FlexContext,
  command: Command<LoadedPlan>,
  key: store.PlanKey,
  asker: Asker = 'institute',
): Promise<LoadedPlan> {
  return transact(flex.db, command, tx =>
    change(flex, tx, planOf(key), (desk, { file, student }) => {
      const { state, isHeld } = file.plan
      if (state !== 'active' && state !== 'setup' && state !== 'locked')
        throw conflict(`A plan that is ${state} cannot be held.`)
      if (isHeld) throw conflict('This plan is held already.')
      withdrawNotices(desk, { file, student }, 'the plan is held')
      setHold(desk, { file, student }, { isHeld: true, asker })
    }),
  )
}

/** Ends a hold, or a lock that the ERP's word put on it. */
export async function resumePlan(
  flex: FlexContext,
  command: Command<LoadedPlan>,
  key: store.PlanKey,
  asker: Asker = 'institute',
): Promise<LoadedPlan> {
  return transact(flex.db, command, tx =>
    change(flex, tx, planOf(key), (desk, { file, student }) => {
      const { state, isHeld } = file.plan
      const canUnlock = asker === 'institute' && state === 'locked' && file.mandate?.state === 'active'
      if (!isHeld && !canUnlock)
        throw conflict('This plan is neither held nor locked in a way that a person can end.')
      if (canUnlock) {
        desk.movePlan(file, 'active', 'resumed by the institute')
        desk.changePlan(file, { lockReason: null })
      }
      setHold(desk, { file, student }, { isHeld: false, asker })
      for (const one of file.instalments.filter(isOpen))
        if (['scheduled', 'skipped', 'confirmed'].includes(one.state))
          desk.change(file, one, { nextStepAt: desk.now })
    }),
  )
}

function setHold(
  desk: Desk,
  { file, student }: PlanScene,
  { isHeld, asker }: { isHeld: boolean; asker: Asker },
): void {
  const before = file.plan.isHeld
  desk.changePlan(file, { isHeld })
  desk.note(file, null, isHeld ? 'held' : 'resumed', `by the ${asker}`)
  if (before === isHeld) return
  desk.tell(
    flexEvent('flex.subscription.updated', file, {
      student,
      at: desk.now,
      payment_schedule: file.instalments.map(scheduleRowBlock),
      changes: [{ field: 'hold', before, after: isHeld }],
    }),
  )
}

const planOf = (key: store.PlanKey) => ({ instituteId: key.instituteId, id: key.planId })

type Change = (desk: Desk, scene: PlanScene, debitRules: Awaited<ReturnType<typeof readDebitRules>>) => void

/** Under the plan's lock; answers the plan as it is afterwards. */
async function change(
  flex: FlexContext,
  tx: Transaction,
  { instituteId, id }: { instituteId: number; id: string },
  command: Change,
): Promise<LoadedPlan> {
  const key = { instituteId, planId: id }
  await store.lockPlans(tx, [key])
  const file = (await store.readFiles(tx, [key])).get(id)
  if (file === undefined) throw notFound('This plan')
  const student = await requireStudent(tx, instituteId, file.plan.studentId)
  const debitRules = await readDebitRules(flex, tx)
  const desk = new Desk(debitRules.now)
  command(desk, { file, student }, debitRules)
  await desk.write(tx)
  return file
}

async function findFile(tx: Transaction, instituteId: number, studentId: string): Promise<LoadedPlan | null> {
  const planId = await store.findPlanOf(tx, instituteId, studentId)
  if (planId === null) return null
  await store.lockPlans(tx, [{ instituteId, planId }])
  return (await store.readFiles(tx, [{ instituteId, planId }])).get(planId) ?? null
}

async function requireStudent(
  tx: Transaction,
  instituteId: number,
  studentId: string,
): Promise<StudentContext> {
  const student = (await readStudentContexts(tx, [{ instituteId, studentId }])).get(studentId)
  if (student === undefined) throw notFound('This student')
  return student
}
