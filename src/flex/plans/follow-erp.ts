import type { Pulled } from '../../erp/pull/pull.service.ts'
import { scheduleRowOf } from '../rules/erp-schedule.rules.ts'
import type { PlanChanges } from './plan-changes.ts'
import { rebalance } from './rebalance.ts'
import { takeErpSchedule } from './take-erp-schedule.ts'

/** Brings a plan up to date with what its ERP just said of the student: by its own schedule, or by what is owed. */
export function followErp(plan: PlanChanges, answer: Pulled): void {
  if (answer.kind !== 'found' && answer.kind !== 'not_configured') return
  if (answer.kind === 'found') {
    if (answer.isCustomSchedule && answer.paymentSchedule !== null)
      return takeErpSchedule(plan, answer.paymentSchedule.map(scheduleRowOf))
    // The institute has done with schedules of its own.
    if (plan.plan.isCustom && !answer.isCustomSchedule) plan.changePlan({ isCustom: false })
  }
  rebalance(plan)
}
