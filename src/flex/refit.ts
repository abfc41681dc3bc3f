import { formatRupees, paiseOf, ZERO, type Paise } from '../platform/money.ts'
import type { StudentContext } from '../students/student-contexts.service.ts'
import type { Desk } from './desk.ts'
import { flexEvent, scheduleRowBlock } from './flex-events.ts'
import { isDone, isOpen, type Instalment, type PlanFile } from './plans.rules.ts'
import { sayWithdrawn, withdrawNotice, type PlanScene } from './withdraw.ts'
import { fitSchedule, sumLines, totalsOf, type Target } from './schedule.rules.ts'

/**
 * Fits what is still to be debited to what the student owes now. What is out at the bank counts as paid until it comes
 * back. An instalment that was announced with another amount loses its notice and begins its way anew.
 */
export function refit(desk: Desk, file: PlanFile, student: StudentContext): void {
  if (file.plan.isCustom) return
  const before = file.instalments
  // Earliest first means by their days: one that was moved has kept its number.
  const open = before
    .filter(instalment => isOpen(instalment) && !instalment.isDownpayment)
    .toSorted((one, other) => (one.dueOn < other.dueOn ? -1 : 1))
  const fitted = fitSchedule(open, targetsOf(file, student))
  for (const { id, lines, becomes } of fitted) {
    const instalment = open.find(one => one.id === id)
    if (instalment === undefined) continue
    if (becomes !== 'open' && instalment.state === 'confirmed')
      sayWithdrawn(desk, { file, student }, instalment, WHY[becomes])
    if (becomes === 'open') changeAmount(desk, { file, student }, instalment, lines)
    else
      desk.move(file, instalment, becomes, WHY[becomes], {
        lines: instalment.lines,
        nextStepAt: null,
        notifiedAt: null,
      })
  }
  desk.changePlan(file, { fittedTo: student.prices, fittedAt: desk.now })
  if (fitted.length > 0) tellChanges(desk, file, student, before)
  closeIfDone(desk, file, student)
}

const WHY = {
  covered: 'what it was for has been paid otherwise',
  waived: 'the fee it was for has fallen',
}

function targetsOf(file: PlanFile, { owed, prices }: StudentContext): Target[] {
  const out = totalsOf(file.instalments.filter(isElsewhere).flatMap(({ lines }) => lines))
  const owedNow = totalsOf(owed)
  const before = totalsOf(file.plan.fittedTo)
  return prices.map(({ componentType, amountPaise }) => ({
    componentType,
    amountPaise: atLeastZero((owedNow.get(componentType) ?? ZERO) - (out.get(componentType) ?? ZERO)),
    hasFeeFallen: amountPaise < (before.get(componentType) ?? ZERO),
  }))
}

/** Out at the bank, or to be paid by the parent at set-up. */
function isElsewhere({ state, isDownpayment }: Instalment): boolean {
  return state === 'presented' || (isDownpayment && state === 'scheduled')
}

function atLeastZero(value: number): Paise {
  return paiseOf(Math.max(value, 0))
}

function changeAmount(
  desk: Desk,
  scene: PlanScene,
  instalment: Instalment,
  lines: Instalment['lines'],
): void {
  const why = `now ${formatRupees(sumLines(lines))} instead of ${formatRupees(sumLines(instalment.lines))}`
  if (instalment.state === 'confirmed') return withdrawNotice(desk, scene, instalment, { why, lines })
  desk.note(scene.file, instalment, 'amount', why)
  desk.change(scene.file, instalment, { lines })
}

export function tellChanges(
  desk: Desk,
  file: PlanFile,
  student: StudentContext,
  before: readonly Instalment[],
): void {
  const changes = file.instalments.flatMap(after => {
    const earlier = before.find(one => one.id === after.id)
    if (earlier === undefined) return []
    const field = (name: string, from: unknown, to: unknown) =>
      from === to ? [] : [{ field: `payment_schedule.${after.id}.${name}`, before: from, after: to }]
    return [
      ...field('amount', sumLines(earlier.lines) / 100, sumLines(after.lines) / 100),
      ...field('status', earlier.state, after.state),
      ...field('due_date', earlier.dueOn, after.dueOn),
    ]
  })
  if (changes.length === 0 || file.plan.state === 'draft') return
  desk.tell(
    flexEvent('flex.subscription.updated', file, {
      student,
      at: desk.now,
      payment_schedule: file.instalments.map(scheduleRowBlock),
      changes,
    }),
  )
}

/** Closes a plan of which nothing more is expected. */
export function closeIfDone(desk: Desk, file: PlanFile, student: StudentContext): void {
  const { state } = file.plan
  if (state !== 'active' && state !== 'locked' && state !== 'setup') return
  if (!file.instalments.every(isDone)) return
  desk.movePlan(file, 'closed', 'everything is paid, covered or waived')
  desk.tell(flexEvent('flex.subscription.closed', file, { student, at: desk.now }))
}
