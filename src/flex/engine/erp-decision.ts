import { assertNever } from '../../platform/assert.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Pulled } from '../../erp/pull/pull.service.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import { MANDATE_ENDED } from '../mandates/end-mandate.ts'
import { withdrawNotices } from '../rules/withdraw-notice.rules.ts'
import { cancelWithMandate } from '../plans/cancel-plan.ts'
import type { PlanChanges } from '../plans/plan-changes.ts'
import type { ErpAnswer, ErpDecision } from '../rules/after-fetch.rules.ts'
import { TRANSFERRED } from '../rules/debit.rules.ts'
import type { Instalment } from '../rules/plan.rules.ts'

/** A student who was marked as dropped here. */
export const DROPPED = {
  code: 'student_discontinued',
  message: 'The student was marked as dropped.',
}

/** Dropping a student here says the same as the ERP's refusal for it, also where no ERP is asked. */
export function erpAnswerOf(pulled: Pulled, { student }: StudentContext): ErpAnswer {
  if (student.status === 'dropped') {
    return { kind: 'refused', actsAs: DROPPED.code, ...DROPPED }
  }
  switch (pulled.kind) {
    case 'found':
    case 'not_configured':
      return { kind: 'fresh' }
    case 'refused':
      return pulled
    case 'unavailable':
      return { kind: 'unavailable', message: pulled.message }
    default:
      return assertNever(pulled)
  }
}

/** What was in the way is gone: a new day, and the way begins anew; a plan that the ERP had locked goes on. */
export function allowAgain(plan: PlanChanges, instalment: Instalment, presentOn: string): void {
  const change = { presentOn, fetchTries: 0, notifiedAt: null, nextStepAt: plan.now }
  const why = `the ERP's answer allows it again; to be presented on ${presentOn}`
  if (instalment.state === 'skipped') plan.move(instalment, 'scheduled', why, change)
  else plan.change(instalment, change)
  if (plan.plan.state !== 'locked') return
  // Its mandate ended meanwhile: the ERP has nothing against it any more, but there is nothing to debit.
  if (plan.mandate?.state !== 'active') {
    plan.note(null, 'still locked', "the ERP's answer allows it again, but its mandate has ended")
    plan.changePlan({ lockReason: MANDATE_ENDED })
    return
  }
  plan.unlock("the ERP's answer allows it again")
  for (const other of plan.instalments)
    if (other.state === 'scheduled' && other.nextStepAt === null) plan.change(other, { nextStepAt: plan.now })
}

type Of<Kind extends ErpDecision['kind']> = Extract<ErpDecision, { kind: Kind }>

export function skip(
  plan: PlanChanges,
  instalment: Instalment,
  { code, message, askAgainAt }: Of<'skip'>,
): void {
  const change = { nextStepAt: askAgainAt, fetchTries: 0, notifiedAt: null }
  if (instalment.state === 'skipped') {
    plan.note(instalment, 'still skipped', `${code}: ${message}`)
    plan.change(instalment, change)
    return
  }
  const skipped = plan.move(instalment, 'skipped', `${code}: ${message}`, change)
  plan.recordEvent('flex.instalment.skipped', {
    instalment: skipped,
    reason: { code, category: 'erp', message },
    nextTryOn: dayOf(askAgainAt),
  })
}

export function lockByErp(
  plan: PlanChanges,
  instalment: Instalment,
  { code, message, askAgainAt }: Of<'lock_plan'>,
): void {
  plan.change(instalment, { nextStepAt: askAgainAt })
  if (plan.plan.state === 'locked') return
  withdrawNotices(plan, 'the plan is locked')
  plan.lock(TRANSFERRED, `${code}: ${message}`, { code, category: 'erp', message })
}

export function cancelByErp(
  plan: PlanChanges,
  { code, message }: Pick<Of<'cancel_plan'>, 'code' | 'message'>,
): void {
  cancelWithMandate(plan, `${code}: ${message}`, { code, category: 'erp', message })
}
