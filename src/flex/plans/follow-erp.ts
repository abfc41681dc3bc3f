import type { Pulled } from '../../erp/pull/pull.service.ts'
import { adoptSchedule } from './take-erp-schedule.ts'
import type { Desk } from './plan-changes.ts'
import { refit } from './rebalance.ts'
import type { DebitRules } from '../rules/debit.rules.ts'
import type { PlanScene } from '../notices/withdraw-notice.ts'

/** Brings a plan up to date with what its ERP just said of the student: by its own schedule, or by what is owed. */
export function followErp(
  desk: Desk,
  { file, student }: PlanScene,
  { word, debitRules }: { word: Pulled; debitRules: DebitRules },
): void {
  if (word.kind !== 'found' && word.kind !== 'not_configured') return
  if (word.kind === 'found') {
    if (word.isCustomSchedule && word.paymentSchedule !== null)
      return adoptSchedule(desk, file, student, { rows: word.paymentSchedule, debitRules })
    // The institute has done with schedules of its own.
    if (file.plan.isCustom && !word.isCustomSchedule) desk.changePlan(file, { isCustom: false })
  }
  refit(desk, file, student)
}
