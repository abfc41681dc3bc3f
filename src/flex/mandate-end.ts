import type { Desk } from './desk.ts'
import { flexEvent, mandateBlock } from './flex-events.ts'
import { tellFamily } from './flex-words.ts'
import { meaningOf, npciCategory } from './returns.rules.ts'
import { withdrawNotices, type PlanScene } from './withdraw.ts'

/** Why a plan is locked whose mandate is over. */
export const MANDATE_ENDED = 'mandate_ended'

/** Nothing can be debited any more: the plan waits for a new mandate. */
export function endMandate(desk: Desk, { file, student }: PlanScene, code: string): void {
  const { message, category } = meaningOf(code)
  if (file.mandate?.state !== 'active' && file.mandate?.state !== 'pending') return
  const npci = npciCategory(code)
  const mandate = desk.moveMandate(file, 'cancelled', `${code}: ${message}`, {
    npciCategory: npci,
    nextCheckAt: null,
  })
  withdrawNotices(desk, { file, student }, 'the mandate has ended')
  const isLive = file.plan.state === 'active' || file.plan.state === 'setup'
  if (isLive) {
    desk.movePlan(file, 'locked', 'its mandate has ended')
    desk.changePlan(file, { lockReason: MANDATE_ENDED })
  }
  if (file.plan.state === 'locked') desk.changePlan(file, { lockReason: MANDATE_ENDED })
  const reason = { code, category, message }
  desk.tell(
    flexEvent('flex.mandate.cancelled', file, {
      student,
      at: desk.now,
      mandate: mandateBlock(mandate),
      reason,
    }),
  )
  desk.send(tellFamily('new_mandate', file, { student, at: desk.now, reason: message }))
}
