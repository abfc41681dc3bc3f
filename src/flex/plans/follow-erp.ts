import type { Pulled } from '../../erp/pull/pull.service.ts'
import { scheduleRowOf } from '../rules/erp-schedule.rules.ts'
import { applyCause } from '../rules/plan-causes.rules.ts'
import type { PlanChanges } from './plan-changes.ts'

/** Brings a plan up to date with what its ERP just said of the student: by its own schedule, or by what is owed. */
export function followErp(plan: PlanChanges, answer: Pulled): void {
  if (answer.kind === 'not_configured') applyCause(plan, { kind: 'owed_changed' })
  if (answer.kind !== 'found') return
  const { isCustomSchedule, paymentSchedule } = answer
  if (!isCustomSchedule) applyCause(plan, { kind: 'erp_sends_no_schedules' })
  else if (paymentSchedule === null) applyCause(plan, { kind: 'owed_changed' })
  else applyCause(plan, { kind: 'erp_sent_schedule', rows: paymentSchedule.map(scheduleRowOf) })
}
