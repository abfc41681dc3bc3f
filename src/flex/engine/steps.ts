import { knownHolidays } from '../../payments/holidays.service.ts'
import { assertNever } from '../../platform/assert.ts'
import type { Transaction } from '../../platform/db.ts'
import type { Desk } from '../plans/plan-changes.ts'
import { knownRules } from '../settings/figures.service.ts'
import type { FlexGround } from '../flex-ground.ts'
import type { Step } from '../rules/debit.rules.ts'
import type { Instalment, PlanFile } from '../rules/plan.rules.ts'
import type { Almanac } from '../rules/debit-context.rules.ts'

export async function readAlmanac(flex: FlexGround, tx?: Transaction): Promise<Almanac> {
  const reader = tx ?? flex.db
  const holidays = await knownHolidays(flex.db, reader)
  return { rules: await knownRules(flex.db, reader), holidays, now: flex.clock.now() }
}

/** Steps that need nobody else: waiting, another day, rest. */
export function takeQuietStep(desk: Desk, file: PlanFile, instalment: Instalment, step: Step): void {
  switch (step.kind) {
    case 'wait':
      desk.change(file, instalment, { nextStepAt: step.until })
      return
    case 'rest':
      desk.change(file, instalment, { nextStepAt: null })
      return
    case 'move': {
      const change = { presentOn: step.presentOn, notifiedAt: null, fetchTries: 0, nextStepAt: desk.now }
      if (instalment.state === 'confirmed') desk.move(file, instalment, 'scheduled', step.why, change)
      else {
        desk.note(file, instalment, `moved to ${step.presentOn}`, step.why)
        desk.change(file, instalment, change)
      }
      return
    }
    case 'fetch':
    case 'present':
      // Something moved in between: it is looked at again at once.
      desk.change(file, instalment, { nextStepAt: desk.now })
      return
    default:
      assertNever(step)
  }
}
