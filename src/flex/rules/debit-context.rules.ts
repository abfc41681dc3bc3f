import type { Holidays } from '../../platform/working-days.ts'
import type { Situation } from './debit.rules.ts'
import { isOpen, type Instalment, type PlanFile } from './plan.rules.ts'
import type { FlexRules } from './rails.rules.ts'

export type Almanac = { rules: FlexRules; holidays: Holidays; now: Date }

/** One instalment of a plan, seen with everything its next step depends on. */
export function situationOf(file: PlanFile, instalment: Instalment, almanac: Almanac): Situation {
  const others = file.instalments.filter(one => one.id !== instalment.id && !one.isDownpayment)
  return {
    plan: file.plan,
    instalment,
    mandate: file.mandate,
    takenDays: new Set(
      others.filter(one => isOpen(one) || one.state === 'presented').map(one => one.presentOn),
    ),
    ...almanac,
  }
}
