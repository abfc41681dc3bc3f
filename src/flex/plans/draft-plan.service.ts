import { closeUnpaid } from '../../orders/order-payments.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { isBeingPaid } from '../../payments/payments.service.ts'
import { dayOf, addDays } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badFields, conflict } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import { endMandateAtProvider } from '../mandates/end-mandate.ts'
import type { PlanChanges } from './plan-changes.service.ts'
import { presentationDay, type DebitRules } from '../rules/debit.rules.ts'
import { isPlanOver, type LoadedPlan, type Plan, type Line } from '../rules/plan.rules.ts'
import { balancedAgainst, outsideOf } from '../rules/rebalance.rules.ts'
import { limitLines } from '../rules/erp-schedule.rules.ts'
import { ZERO } from '../../platform/money.ts'
import {
  equalMonthly,
  lengthForFamily,
  lengthOf,
  formProblems,
  newInstalment,
  sumProblems,
  type FlexSettings,
  type ScheduleRow,
} from '../rules/schedule.rules.ts'
import { addAll } from '../../platform/lists.ts'

/** No rows mean the institute's default plan; rows of the ERP's own record are taken as they are. */
export type WantedSchedule = {
  rows: readonly ScheduleRow[] | null
  isFromErp?: boolean
  /** How many instalments of the default plan, as the payer chose among those offered. */
  instalments?: number | undefined
  /** The family asks for it, not the ERP: then the default plan ends inside the academic year. */
  isForFamily?: boolean
}

type Draft = {
  institute: Institute
  student: StudentContext
  settings: FlexSettings
  wanted: WantedSchedule
  /** The draft that is replaced: the new one keeps its id. */
  known: LoadedPlan | null
  debitRules: DebitRules
}

/** A draft over what the student owes; refused with what is wrong with the schedule. */
export function draftPlan({ institute, student, settings, wanted, known, debitRules }: Draft): LoadedPlan {
  const { now } = debitRules
  const { rows, isFromErp = false } = wanted
  const today = dayOf(now)
  if (student.owed.length === 0)
    throw conflict('Nothing is outstanding for this student, so there is nothing to plan.')
  const wantedRows = rows ?? defaultRows({ student, settings, ...wanted, today })
  const schedule = isFromErp ? limitRows(wantedRows, student.owed) : wantedRows
  const path = 'payment_schedule'
  const problems = formProblems(schedule, { today, path, isFromErp })
  if (!isFromErp) addAll(problems, sumProblems(schedule, student.owed, path))
  if (problems.length > 0) throw badFields(problems)
  const plan: Plan = {
    instituteId: institute.id,
    id: known?.plan.id ?? newId('plan'),
    studentId: student.student.id,
    collectorCode: student.student.collectorCode,
    state: 'draft',
    isHeld: false,
    heldBy: null,
    lockReason: null,
    productName: settings.productName,
    instituteName: institute.name,
    instituteCode: institute.code,
    isCustom: isFromErp,
    isDefault: rows === null,
    language: institute.familyLanguage ?? 'en',
    createdAt: known?.plan.createdAt ?? now,
    setUpAt: null,
    fittedTo: student.prices,
    fittedAt: now,
    outsidePaise: ZERO,
    revivableUntil: null,
    isReplaced: false,
  }
  const ordered = schedule.toSorted(byDay)
  const key = { instituteId: plan.instituteId, planId: plan.id }
  const days = presentationDays(ordered, debitRules)
  const instalments = ordered.map((row, index) =>
    newInstalment({ ...key, number: index + 1 }, row, { presentOn: days[index] ?? row.dueOn }),
  )
  const draft = { plan, mandate: null, instalments }
  const balance = {
    fittedTo: balancedAgainst(draft, student),
    outsidePaise: outsideOf(draft, student),
  }
  return { ...draft, plan: { ...plan, ...balance } }
}

/** Counts as if it were set up today by eNACH, which takes longest; the mandate says better. A down payment is paid at set-up. */
function presentationDays(rows: readonly ScheduleRow[], { rules, holidays, now }: DebitRules): string[] {
  const takenDays = new Set<string>()
  const terms = { setUpOn: dayOf(now), rail: rules.rails.enach, rules, holidays, takenDays }
  return rows.map(({ dueOn, isDownpayment }) => {
    if (isDownpayment) return dueOn
    const day = presentationDay(dueOn, terms)
    takenDays.add(day)
    return day
  })
}

/** Equal parts of what is owed, as many as were chosen, or as the institute takes. */
export function defaultRows({
  student,
  settings,
  instalments,
  isForFamily = false,
  today,
}: {
  student: StudentContext
  settings: FlexSettings
  today: string
} & Pick<WantedSchedule, 'instalments' | 'isForFamily'>): ScheduleRow[] {
  const firstFrom = addDays(today, FIRST_DUE_DAYS)
  const length = isForFamily ? lengthForFamily : lengthOf
  const count = instalments ?? length(settings, student.student, firstFrom)
  return equalMonthly(student.owed, { ...settings, instalments: count }, firstFrom, today)
}

/** The ERP's amounts as they are, but never more than is owed; the down payment and the earliest rows come first. */
function limitRows(rows: readonly ScheduleRow[], owed: readonly Line[]): ScheduleRow[] {
  const ordered = rows.toSorted(byDay)
  const lines = limitLines(ordered, owed)
  return ordered.map(row => ({ ...row, lines: lines.get(row) ?? [] })).filter(row => row.lines.length > 0)
}

function byDay(one: ScheduleRow, other: ScheduleRow): number {
  return order(one) - order(other) || (one.dueOn < other.dueOn ? -1 : 1)
}

/** A mandate takes some days before it can be debited. */
export const FIRST_DUE_DAYS = 10
const order = (row: ScheduleRow): number => (row.isDownpayment ? 0 : 1)

/** Whether the student's plan is a draft that may be replaced; null when there is none or it is over. */
export function replaceableDraft(known: PlanChanges | undefined): PlanChanges | null {
  if (known === undefined || isPlanOver(known.plan)) return null
  const data = { plan_id: known.plan.id }
  if (known.plan.state !== 'draft')
    throw conflict('This student has a plan that is set up. Cancel it first.', data)
  if (known.instalments.some(({ state, isDownpayment }) => isDownpayment && state !== 'scheduled'))
    throw conflict('The down payment of this plan is paid, so its schedule stays.', data)
  if (known.mandate !== null && known.mandate.authorisedAt !== null)
    throw conflict('The payer has authorised this plan; the bank is confirming it.', data)
  return known
}

/** Closes the orders and cancels the mandate of a draft that is replaced, so that nobody can finish setting it up. */
export async function abandonDraft(tx: Transaction, draft: PlanChanges): Promise<void> {
  const { instituteId, id } = draft.plan
  const orders = draft.instalments.flatMap(({ orderId }) => orderId ?? [])
  await closeUnpaid(tx, instituteId, orders, draft.now)
  // Closed by now, so that none begins while we look.
  for (const orderId of orders)
    if (await isBeingPaid(tx, instituteId, orderId))
      throw conflict('The down payment of this plan is being paid. Try again when that is over.', {
        plan_id: id,
      })
  if (draft.mandate?.state === 'pending') endMandateAtProvider(draft, 'the schedule was replaced')
}
