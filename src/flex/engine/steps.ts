import { assertNever } from '../../platform/assert.ts'
import type { Desk } from '../plans/plan-changes.ts'
import type { Step } from '../rules/debit.rules.ts'
import type { Instalment, LoadedPlan } from '../rules/plan.rules.ts'

/** Steps that need nobody else: waiting, another day, rest. */
export function takeQuietStep(desk: Desk, file: LoadedPlan, instalment: Instalment, step: Step): void {
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
