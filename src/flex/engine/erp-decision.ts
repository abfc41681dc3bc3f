import { assertNever } from '../../platform/assert.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import { confirm } from './confirm.ts'
import type { Desk } from '../plans/plan-changes.ts'
import { flexEvent, instalmentBlock } from '../plans/plan-events.ts'
import { MANDATE_ENDED } from '../mandates/end-mandate.ts'
import { TRANSFERRED, type AfterFetch } from '../rules/debit.rules.ts'
import { isOpen, type Instalment, type LoadedPlan } from '../rules/plan.rules.ts'
import type { DebitRules } from '../rules/debit.rules.ts'
import { stopPlan } from '../plans/cancel-plan.ts'
import { withdrawNotices } from '../notices/withdraw-notice.ts'

/** What the ERP's word before a presentation does to the instalment and its plan. */
type InstalmentScene = {
  file: LoadedPlan
  student: StudentContext
  instalment: Instalment
  debitRules: DebitRules
}

export function actOnWord(desk: Desk, scene: InstalmentScene, decision: AfterFetch): void {
  const { file, instalment } = scene
  switch (decision.kind) {
    case 'confirm':
      return confirm(desk, scene)
    case 'reschedule':
      return solve(desk, scene, decision.presentOn)
    case 'ask_again':
      desk.change(file, instalment, { fetchTries: instalment.fetchTries + 1, nextStepAt: decision.at })
      return
    case 'skip':
      return skip(desk, scene, decision)
    case 'cancel_plan':
      return cancelByErp(desk, scene, decision)
    case 'lock_plan':
      return lockByErp(desk, scene, decision)
    default:
      return assertNever(decision)
  }
}

/** What was in the way is gone: a new day, and the way begins anew; a plan that the ERP had locked goes on. */
function solve(desk: Desk, { file, instalment }: InstalmentScene, presentOn: string): void {
  const change = { presentOn, fetchTries: 0, notifiedAt: null, nextStepAt: desk.now }
  const why = `the ERP's answer allows it again; to be presented on ${presentOn}`
  if (instalment.state === 'skipped') desk.move(file, instalment, 'scheduled', why, change)
  else desk.change(file, instalment, change)
  if (file.plan.state !== 'locked') return
  // Its mandate ended meanwhile: the ERP has nothing against it any more, but there is nothing to debit.
  if (file.mandate?.state !== 'active') {
    desk.note(file, null, 'still locked', "the ERP's answer allows it again, but its mandate has ended")
    desk.changePlan(file, { lockReason: MANDATE_ENDED })
    return
  }
  desk.movePlan(file, 'active', "the ERP's answer allows it again")
  desk.changePlan(file, { lockReason: null })
  for (const other of file.instalments.filter(isOpen))
    if (other.state === 'scheduled' && other.nextStepAt === null)
      desk.change(file, other, { nextStepAt: desk.now })
}

function skip(
  desk: Desk,
  { file, student, instalment }: InstalmentScene,
  { code, message, askAgainAt }: Extract<AfterFetch, { kind: 'skip' }>,
): void {
  const change = { nextStepAt: askAgainAt, fetchTries: 0, notifiedAt: null }
  if (instalment.state === 'skipped') {
    desk.note(file, instalment, 'still skipped', `${code}: ${message}`)
    desk.change(file, instalment, change)
    return
  }
  const skipped = desk.move(file, instalment, 'skipped', `${code}: ${message}`, change)
  desk.tell(
    flexEvent('flex.instalment.skipped', file, {
      student,
      at: desk.now,
      instalment: instalmentBlock(skipped),
      reason: { code, category: 'erp', message },
      next_try_on: dayOf(askAgainAt),
    }),
  )
}

function cancelByErp(
  desk: Desk,
  scene: InstalmentScene,
  { code, message }: Extract<AfterFetch, { kind: 'cancel_plan' }>,
): void {
  stopPlan(desk, scene, { why: `${code}: ${message}`, reason: { code, category: 'erp', message } })
}

function lockByErp(
  desk: Desk,
  { file, student, instalment }: InstalmentScene,
  { code, message, askAgainAt }: Extract<AfterFetch, { kind: 'lock_plan' }>,
): void {
  desk.change(file, instalment, { nextStepAt: askAgainAt })
  if (file.plan.state === 'locked') return
  withdrawNotices(desk, { file, student }, 'the plan is locked')
  desk.movePlan(file, 'locked', `${code}: ${message}`)
  desk.changePlan(file, { lockReason: TRANSFERRED })
}
