import type { Institute } from '../../institutes/institutes.rules.ts'
import { orderFor } from '../../orders/orders.rules.ts'
import { openOrder } from '../../payments/debits/debits.service.ts'
import { dayOf, addDays } from '../../platform/calendar.ts'
import { notFound, conflict } from '../../platform/errors.ts'
import { pullStudent, type Pulled } from '../../erp/pull/pull.service.ts'
import { readStudentContexts, type StudentContext } from '../../students/student-contexts.service.ts'
import type { FlexContext } from '../context.ts'
import { scheduleRowOf } from '../rules/erp-schedule.rules.ts'
import { totalsOf, sumLines, type LoadedPlan } from '../rules/plan.rules.ts'
import { rowsToSetUp, type ScheduleRow, offeredLengths } from '../rules/schedule.rules.ts'
import { getPlan, listPlansOf, createPlan } from './plans.service.ts'
import type { PlanKey } from './plans.store.ts'
import { applyCause } from '../rules/plan-causes.rules.ts'
import { withPlan } from './with-plans.service.ts'
import type { Paise } from '../../platform/money.ts'
import { getFlexSettings } from '../settings/settings.service.ts'
import { defaultRows, FIRST_DUE_DAYS } from './draft-plan.service.ts'

/**
 * The parent sets a plan up: sees the schedule as the ERP has it now, pays the down payment if there is one, chooses how to
 * be debited, and authorises the mandate at the bank. Nothing is set up before that yes.
 */
type SetupView =
  | { kind: 'ready'; loaded: LoadedPlan; student: StudentContext }
  /** The ERP's own words, which can be shown to people. */
  | { kind: 'refused'; message: string }
  | { kind: 'try_later' }
  /** The ERP has gone on to another academic year: the plan to set up is one of that year's record. */
  | { kind: 'other_year'; planId: string }

/** Asks the ERP first; a draft is brought up to date with what it says. */
export async function openSetup(ctx: FlexContext, institute: Institute, planId: string): Promise<SetupView> {
  const loaded = await getPlan(ctx, institute, planId)
  const { studentId } = loaded.plan
  if (loaded.plan.state !== 'draft') return readyView(ctx, loaded)
  const answer = await pullStudent(ctx, { instituteId: institute.id, studentId, reason: 'flex_setup' })
  if (answer.kind === 'refused') return { kind: 'refused', message: answer.message }
  if (answer.kind === 'unavailable') return { kind: 'try_later' }
  if (answer.kind === 'found' && answer.studentId !== studentId)
    return { kind: 'other_year', planId: await planOfYear(ctx, institute, answer.studentId) }
  const { student } = (await readyView(ctx, loaded)).student
  if (student.status === 'dropped') return { kind: 'refused', message: 'This student has left the school.' }
  await refreshDraft(ctx, institute, loaded, answer)
  await redrawIfNotOffered(ctx, institute, await getPlan(ctx, institute, planId))
  return readyView(ctx, await getPlan(ctx, institute, planId))
}

/** The newest plan of that record, or a draft by the institute's default. */
async function planOfYear(ctx: FlexContext, institute: Institute, studentId: string): Promise<string> {
  const [newest] = await listPlansOf(ctx, institute.id, studentId, 1)
  if (newest !== undefined && newest.plan.state !== 'cancelled') return newest.plan.id
  const { plan } = await createPlan(ctx, { instituteId: institute.id }, institute, {
    studentId,
    rows: null,
    isForFamily: true,
  })
  return plan.id
}

async function readyView(ctx: FlexContext, loaded: LoadedPlan): Promise<SetupView & { kind: 'ready' }> {
  const student = (await readStudentContexts(ctx.db, [loaded.plan])).get(loaded.plan.studentId)
  if (student === undefined) throw notFound('This student')
  return { kind: 'ready', loaded, student }
}

/**
 * A draft follows the ERP: its own schedule replaces the draft, other amounts rebalance it. Once a down payment is being
 * paid it stays as it is.
 */
async function refreshDraft(
  ctx: FlexContext,
  institute: Institute,
  { plan, instalments }: LoadedPlan,
  answer: Pulled,
): Promise<void> {
  if (instalments.some(({ isDownpayment, orderId }) => isDownpayment && orderId !== null)) return
  const sent = answer.kind === 'found' && answer.isCustomSchedule ? answer.paymentSchedule : null
  if (sent === null)
    return withPlan(ctx, { instituteId: institute.id, planId: plan.id }, draft => {
      if (draft.plan.state !== 'draft') return
      // The institute has done with schedules of its own.
      if (answer.kind === 'found') draft.changePlan({ isCustom: false })
      applyCause(draft, { kind: 'owed_changed' })
    })
  const rows = rowsToSetUp(sent.map(scheduleRowOf), dayOf(ctx.clock.now()))
  if (plan.isCustom && isSameSchedule(instalments, rows)) return
  const { studentId } = plan
  await createPlan(ctx, { instituteId: institute.id }, institute, { studentId, rows, isFromErp: true })
}

function isSameSchedule(known: readonly ScheduleRow[], rows: readonly ScheduleRow[]): boolean {
  const texts = new Set(known.map(textOf))
  return known.length === rows.length && rows.every(row => texts.has(textOf(row)))
}

function textOf({ dueOn, isDownpayment, referenceId, identifier, lines }: ScheduleRow): string {
  const amounts = [...totalsOf(lines)].map(([type, amount]) => `${type} ${amount}`).sort()
  return JSON.stringify([dueOn, isDownpayment, referenceId, identifier, amounts])
}

/** The order of the down payment that is still to be paid, made when it is first asked for; null when none is. */
export async function downpaymentOrder(
  ctx: FlexContext,
  key: PlanKey,
  callbackUrl: string,
): Promise<string | null> {
  return withPlan(ctx, key, async (plan, tx) => {
    const down = plan.instalments.find(({ isDownpayment }) => isDownpayment)
    if (down === undefined || down.state !== 'scheduled') return null
    if (down.orderId !== null) return down.orderId
    const { student } = plan.student
    const order = orderFor(student, {
      kind: 'downpayment',
      lines: down.lines,
      at: plan.now,
      callbackUrl,
      planId: key.planId,
      instalmentId: down.id,
    })
    await openOrder(tx, { instituteId: key.instituteId, order })
    plan.change(down, { orderId: order.id })
    return order.id
  })
}

/** How long a plan may be, and what each month takes then. */
export type PlanLength = {
  instalments: number
  /** Each instalment but the last, which has what is left over. */
  amountPaise: Paise
  lastPaise: Paise
  firstOn: string
  lastOn: string
  isChosen: boolean
}

/** None when there is nothing to choose: the plan is not the institute's default, has begun, or has one length alone. */
export async function listLengths(
  ctx: FlexContext,
  institute: Institute,
  loaded: LoadedPlan,
): Promise<PlanLength[]> {
  const lengths = await readFitting(ctx, institute, loaded)
  return lengths.length < 2 ? [] : lengths
}

/** Lengths that are offered and end inside the academic year. */
async function readFitting(
  ctx: FlexContext,
  institute: Institute,
  loaded: LoadedPlan,
): Promise<PlanLength[]> {
  if (!canChoose(loaded)) return []
  const { instituteId, studentId } = loaded.plan
  const student = (await readStudentContexts(ctx.db, [{ instituteId, studentId }])).get(studentId)
  if (student === undefined) throw notFound('This student')
  const settings = await getFlexSettings(ctx, institute)
  const today = dayOf(ctx.clock.now())
  const lengths = offeredLengths(settings, student.student, addDays(today, FIRST_DUE_DAYS))
  if (student.owed.length === 0) return []
  const now = loaded.instalments.filter(one => !one.isDownpayment).length
  return lengths.flatMap(instalments => {
    const rows = defaultRows({ student, settings, instalments, today }).filter(row => !row.isDownpayment)
    const [first] = rows
    const last = rows.at(-1)
    if (first === undefined || last === undefined) return []
    return [
      {
        instalments,
        amountPaise: sumLines(first.lines),
        lastPaise: sumLines(last.lines),
        firstOn: first.dueOn,
        lastOn: last.dueOn,
        isChosen: instalments === now,
      },
    ]
  })
}

/**
 * A draft of the institute's default plan was drawn when other lengths were offered, or more of the academic year was left:
 * it becomes the one that is offered now, so that nobody agrees to what is not. What the ERP or the office wrote stays.
 */
async function redrawIfNotOffered(ctx: FlexContext, institute: Institute, loaded: LoadedPlan): Promise<void> {
  const lengths = await readFitting(ctx, institute, loaded)
  if (lengths.length === 0 || lengths.some(({ isChosen }) => isChosen)) return
  const { studentId } = loaded.plan
  await createPlan(ctx, { instituteId: institute.id }, institute, { studentId, rows: null })
}

/** Once money or a mandate is on its way the schedule stays. */
function canChoose({ plan, mandate, instalments }: LoadedPlan): boolean {
  const hasBegun = instalments.some(
    one => one.isDownpayment && (one.orderId !== null || one.state !== 'scheduled'),
  )
  return plan.state === 'draft' && plan.isDefault && !plan.isCustom && mandate === null && !hasBegun
}

/** Replaces the draft by one of that length. */
export async function chooseLength(
  ctx: FlexContext,
  institute: Institute,
  planId: string,
  instalments: number,
): Promise<void> {
  const loaded = await getPlan(ctx, institute, planId)
  const lengths = await listLengths(ctx, institute, loaded)
  if (!lengths.some(length => length.instalments === instalments))
    throw conflict('This number of instalments is not offered for this plan.')
  const { studentId } = loaded.plan
  await createPlan(ctx, { instituteId: institute.id }, institute, { studentId, rows: null, instalments })
}
