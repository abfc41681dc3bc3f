import type { Desk } from './desk.ts'
import { isOpen, type PlanFile } from './plans.rules.ts'

/** The plan and everything of it that is not out at the bank ends. */
export function stopPlan(desk: Desk, file: PlanFile, why: string): void {
  for (const one of file.instalments.filter(isOpen))
    desk.move(file, one, 'cancelled', why, { nextStepAt: null, notifiedAt: null })
  desk.movePlan(file, 'cancelled', why)
}
