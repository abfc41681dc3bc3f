import { pullStudents, type Pulled, type PullReason } from '../../erp/pull/pull.service.ts'
import type { FlexContext } from '../context.ts'
import type { PlanChanges } from './plan-changes.ts'
import type { PlanKey } from './plans.store.ts'
import { withPlans } from './with-plans.service.ts'
import { scheduleRowOf } from '../rules/erp-schedule.rules.ts'
import { applyCause } from '../rules/plan-causes.rules.ts'

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
  const pulled = await pullStudents(
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
