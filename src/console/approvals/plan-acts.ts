import { readLapsedLateFees } from '../../dues/late-fees.service.ts'
import type { ConsoleContext } from '../context.ts'
import { reschedule, resumePlan, type ChangedPlan } from '../../flex/plans/plans.service.ts'
import { planStatus, type LoadedPlan } from '../../flex/rules/plan.rules.ts'
import { totalOf } from '../../institutes/approval-limit/approval-limit.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { getStudent } from '../../students/students.service.ts'
import type { ActTarget, GuardedAct, Weight } from './guarded-act.ts'

/** Fees that a plan will take are not late: weighs the late fees that lapse when it takes overdue ones again. */
async function weighPlan(
  tx: Transaction,
  ctx: ConsoleContext,
  { institute, about, result: { plan } }: ActTarget & { result: ChangedPlan },
): Promise<Weight> {
  const { studentId } = plan
  const gifts = await readLapsedLateFees(ctx, tx, [{ instituteId: institute.id, studentId }])
  const { student } = await getStudent(ctx, institute, studentId)
  const title = `Plan of ${student.fullname} goes on without the late fee`
  return { title, subject: about, amountPaise: totalOf(gifts), gifts }
}

type RescheduleRequest = { instalmentId: string; newDueOn: string; reason: string }

export const rescheduleAct: GuardedAct<RescheduleRequest, ChangedPlan> = {
  perform: (ctx, command, { institute, about: planId }, { instalmentId, newDueOn }) =>
    reschedule(ctx, command, institute, { planId, instalmentId, newDueOn }),
  weigh: weighPlan,
  note: ({ about }, { instalmentId, reason }, after) => ({
    what: 'flex.instalment.rescheduled',
    about,
    why: reason,
    before: dayOf(after.before, instalmentId),
    after: dayOf(after, instalmentId),
  }),
}

function dayOf({ instalments }: LoadedPlan, instalmentId: string): unknown {
  const one = instalments.find(({ id }) => id === instalmentId)
  return {
    instalment_id: instalmentId,
    due_date: one?.dueOn,
    present_on: one?.presentOn,
    status: one?.state,
  }
}

export const resumeAct: GuardedAct<{ reason: string }, ChangedPlan> = {
  perform: (ctx, command, { institute, about: planId }) =>
    resumePlan(ctx, command, { instituteId: institute.id, planId }),
  weigh: weighPlan,
  note: ({ about }, { reason }, after) => ({
    what: 'flex.plan.resumed',
    about,
    why: reason,
    before: stateOf(after.before),
    after: stateOf(after),
  }),
}

/** What the log keeps of a plan: where it and its mandate stood. */
export function stateOf(loaded: LoadedPlan): unknown {
  const { plan, mandate } = loaded
  return {
    status: planStatus(loaded),
    is_held: plan.isHeld,
    lock_reason: plan.lockReason ?? undefined,
    mandate: mandate?.state,
  }
}
