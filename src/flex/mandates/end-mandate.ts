import type { Desk } from '../plans/plan-changes.ts'
import { flexEvent, mandateBlock } from '../plans/plan-events.ts'
import { tellFamily } from '../notices/family.texts.ts'
import type { LoadedPlan } from '../rules/plan.rules.ts'
import { meaningOf, npciCategory } from '../rules/returns.rules.ts'
import { withdrawNotices, type PlanScene } from '../notices/withdraw-notice.ts'

/** Why a plan is locked whose mandate is over. */
export const MANDATE_ENDED = 'mandate_ended'

/** Nothing can be debited any more: the plan waits for a new mandate. */
export function endMandate(desk: Desk, { file, student }: PlanScene, code: string): void {
  const { message, category } = meaningOf(code)
  if (!isLive(file)) return
  const mandate = desk.moveMandate(file, 'cancelled', `${code}: ${message}`, {
    npciCategory: npciCategory(code),
    nextCheckAt: null,
  })
  lockWithout(desk, { file, student }, 'its mandate has ended')
  const reason = { code, category, message }
  desk.tell(
    flexEvent('flex.mandate.cancelled', file, {
      student,
      at: desk.now,
      mandate: mandateBlock(mandate),
      reason,
    }),
  )
  askForNew(desk, { file, student }, message)
}

/** The same for one whose time is up. */
export function expireMandate(desk: Desk, { file, student }: PlanScene): void {
  const expired = desk.moveMandate(file, 'expired', 'past its end date', { nextCheckAt: null })
  lockWithout(desk, { file, student }, 'its mandate has expired')
  const at = desk.now
  desk.tell(flexEvent('flex.mandate.expired', file, { student, at, mandate: mandateBlock(expired) }))
  askForNew(desk, { file, student }, 'Its end date has passed.')
}

/** Nobody needs another for what is over. */
function askForNew(desk: Desk, { file, student }: PlanScene, reason: string): void {
  if (file.plan.state === 'locked')
    desk.send(tellFamily('new_mandate', file, { student, at: desk.now, reason }))
}

function isLive({ mandate }: LoadedPlan): boolean {
  return mandate?.state === 'active' || mandate?.state === 'pending'
}

function lockWithout(desk: Desk, { file, student }: PlanScene, why: string): void {
  withdrawNotices(desk, { file, student }, 'the mandate has ended')
  if (file.plan.state === 'active' || file.plan.state === 'setup') desk.movePlan(file, 'locked', why)
  if (file.plan.state === 'locked') desk.changePlan(file, { lockReason: MANDATE_ENDED })
}

/** With its plan: nobody may be debited for what was stopped. */
export function endMandateOf(desk: Desk, { file, student }: PlanScene): void {
  if (!isLive(file)) return
  const mandate = desk.moveMandate(file, 'cancelled', 'the plan was cancelled', { nextCheckAt: null })
  desk.tell(
    flexEvent('flex.mandate.cancelled', file, { student, at: desk.now, mandate: mandateBlock(mandate) }),
  )
}
