import { addDays, DAY_MS } from '../../platform/calendar.ts'
import { momentOf } from './rails.rules.ts'
import { isPlanLive, isToCome, type Holder } from './plan.rules.ts'
import { withdrawNotices, type PlanInChange } from './plan-in-change.rules.ts'

/**
 * Debits rest for a while, by the school, on the family's page, or in the payer's UPI app. What was announced is taken back,
 * and what falls due meanwhile is debited afterwards.
 */
export function hold(plan: PlanInChange, by: Holder): void {
  withdrawNotices(plan, 'the plan is held')
  setHold(plan, by)
}

export function endHold(plan: PlanInChange, by: Holder): void {
  if (plan.plan.isHeld) setHold(plan, null, by)
  for (const one of plan.instalments.filter(isToCome)) plan.change(one, { nextStepAt: plan.now })
}

const WHO: Record<Holder, string> = {
  institute: 'by the institute',
  payer: 'by the payer',
  upi_app: 'by the payer, in the UPI app',
}

function setHold(plan: PlanInChange, heldBy: Holder | null, by: Holder = heldBy ?? 'institute'): void {
  const before = plan.plan.isHeld
  const isHeld = heldBy !== null
  plan.changePlan({ isHeld, heldBy })
  plan.note(null, isHeld ? 'held' : 'resumed', WHO[by])
  if (before !== isHeld)
    plan.recordEvent('flex.subscription.updated', { changes: [{ field: 'hold', before, after: isHeld }] })
}

/** A provider may not tell of the end of a pause, so that it is asked every day. */
const ASK_AGAIN_MS = DAY_MS

/**
 * The payer pauses the mandate in the UPI app, or lets it go on there. A debit under a paused one comes back, so nothing is
 * presented meanwhile; nobody but the payer can end it.
 */
export function followPauseOfPayer(plan: PlanInChange, isPaused: boolean | undefined): void {
  const mandate = plan.requireMandate()
  if (isPaused === undefined || isPaused === (mandate.payerPausedAt !== null)) return
  const nextCheckAt = isPaused
    ? new Date(plan.now.getTime() + ASK_AGAIN_MS)
    : momentOf(addDays(mandate.endOn, 1), 0)
  plan.changeMandate({ payerPausedAt: isPaused ? plan.now : null, nextCheckAt, checks: 0 })
  if (!isPaused) {
    if (plan.plan.heldBy !== 'upi_app') return
    endHold(plan, 'upi_app')
    if (isPlanLive(plan.plan)) plan.notifyFamily('resumed_in_app')
  } else if (isPlanLive(plan.plan) && !plan.plan.isHeld) {
    hold(plan, 'upi_app')
    plan.notifyFamily('paused_in_app')
  }
}
