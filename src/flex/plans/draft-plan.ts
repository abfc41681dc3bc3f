import type { Institute } from '../../institutes/institutes.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badFields, conflict } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import type { FlexContext } from '../context.ts'
import * as store from './plans.store.ts'
import { STANDARD_SETTINGS } from '../settings/settings.service.ts'
import type { Instalment, Plan, LoadedPlan } from '../rules/plan.rules.ts'
import { addDays } from '../rules/rails.rules.ts'
import { roomsOf } from './rebalance.ts'
import { equalMonthly, formProblems, sumProblems, type ScheduleRow } from '../rules/schedule.rules.ts'

/** Without rows the institute's default plan. Those of the ERP's own record are taken as they are. */
export type WantedSchedule = { rows: readonly ScheduleRow[] | null; isFromErp?: boolean }

/** Writes a draft, in the place of the one there is. */
export async function draftPlan(
  flex: FlexContext,
  tx: Transaction,
  {
    institute,
    student,
    wanted: { rows, isFromErp = false },
    known,
  }: {
    institute: Institute
    student: StudentContext
    wanted: WantedSchedule
    known: LoadedPlan | null
  },
): Promise<LoadedPlan> {
  const now = flex.clock.now()
  const today = dayOf(now)
  if (student.owed.length === 0)
    throw conflict('Nothing is outstanding for this student, so there is nothing to plan.')
  const settings = (await store.readSettings(tx, institute.id)) ?? STANDARD_SETTINGS
  const schedule = rows ?? equalMonthly(student.owed, settings, addDays(today, FIRST_DUE_DAYS), today)
  const path = 'payment_schedule'
  const problems = formProblems(schedule, { today, path })
  if (!isFromErp) problems.push(...sumProblems(schedule, student.owed, path))
  if (problems.length > 0) throw badFields(problems)
  const plan: Plan = {
    instituteId: institute.id,
    id: known?.plan.id ?? newId('plan'),
    studentId: student.student.id,
    collectorCode: student.student.collectorCode,
    state: 'draft',
    isHeld: false,
    lockReason: null,
    productName: settings.productName,
    instituteName: institute.name,
    isCustom: isFromErp,
    language: 'en',
    createdAt: known?.plan.createdAt ?? now,
    setUpAt: null,
    fittedTo: student.prices,
    fittedAt: now,
  }
  if (known === null) await store.insertPlan(tx, plan)
  else {
    await store.deleteDraftInstalments(tx, institute.id, plan.id)
    await store.savePlans(tx, [plan])
  }
  const ordered = schedule.toSorted(
    (one, other) => order(one) - order(other) || (one.dueOn < other.dueOn ? -1 : 1),
  )
  const instalments = ordered.map((row, index) => newInstalment(plan, row, index + 1))
  await store.saveInstalments(tx, instalments)
  const file: LoadedPlan = { plan, mandate: null, instalments }
  if (plan.isCustom) {
    file.plan = { ...plan, fittedTo: roomsOf(file, student) }
    await store.savePlans(tx, [file.plan])
  }
  return file
}

/** A mandate takes some days before it can be debited. */
const FIRST_DUE_DAYS = 10
const order = (row: ScheduleRow): number => (row.isDownpayment ? 0 : 1)

function newInstalment(plan: Plan, row: ScheduleRow, number: number): Instalment {
  return {
    instituteId: plan.instituteId,
    planId: plan.id,
    id: newId('inst'),
    number,
    state: 'scheduled',
    isDownpayment: row.isDownpayment,
    dueOn: row.dueOn,
    presentOn: row.dueOn,
    referenceId: row.referenceId,
    identifier: row.identifier,
    lines: row.lines.filter(({ amountPaise }) => amountPaise > 0),
    attempt: 0,
    bankReturns: 0,
    firstBankReturnAt: null,
    notifiedAt: null,
    presentedOn: null,
    returnCode: null,
    fetchTries: 0,
    orderId: null,
    nextStepAt: null,
  }
}
