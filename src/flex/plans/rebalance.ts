import { formatRupees, paiseOf, ZERO, type Paise } from '../../platform/money.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import type { Desk } from './plan-changes.ts'
import { flexEvent, scheduleRowBlock } from './plan-events.ts'
import {
  isDone,
  isOpen,
  isToCome,
  type FittedLine,
  type Instalment,
  type LoadedPlan,
} from '../rules/plan.rules.ts'
import { sayWithdrawn, withdrawNotice, type PlanScene } from '../notices/withdraw-notice.ts'
import {
  fitSchedule,
  sumLines,
  totalsOf,
  type FittedRow,
  type OpenRow,
  type Target,
} from '../rules/schedule.rules.ts'

/**
 * Fits what is still to be debited to what the student owes now. What is out at the bank counts as paid until it comes
 * back. An instalment that was announced with another amount loses its notice and begins its way anew. Rows of the ERP's
 * own schedule are only ever lowered, by what was paid or fell since they were taken over.
 */
export function refit(desk: Desk, file: LoadedPlan, student: StudentContext): void {
  const before = file.instalments
  const fitted = fittedRows(file, student)
  for (const { id, lines, becomes } of fitted) {
    const instalment = before.find(one => one.id === id)
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
  desk.changePlan(file, { fittedTo: fittedTo(file, student), fittedAt: desk.now })
  if (fitted.length > 0) tellChanges(desk, file, student, before)
  closeIfDone(desk, file, student)
}

/** Whether the schedule is what refitting would make of it. */
export function isFitted(file: LoadedPlan, student: StudentContext): boolean {
  return fittedRows(file, student).length === 0 && !isOver(file)
}

function fittedRows(file: LoadedPlan, student: StudentContext): FittedRow[] {
  return fitSchedule(
    openRows(file),
    file.plan.isCustom ? customTargets(file, student) : targetsOf(file, student),
  )
}

/** Earliest first means by their days: one that was moved has kept its number. */
function openRows({ instalments }: LoadedPlan): OpenRow[] {
  return instalments
    .filter(instalment => isOpen(instalment) && !instalment.isDownpayment)
    .toSorted((one, other) => (one.dueOn < other.dueOn ? -1 : 1))
    .map(one => ({ id: one.id, lines: one.lines, isToCome: isToCome(one) }))
}

const WHY = {
  covered: 'what it was for has been paid otherwise',
  waived: 'the fee it was for has fallen',
}

function targetsOf(file: LoadedPlan, { owed, prices }: StudentContext): Target[] {
  const out = totalsOf(file.instalments.filter(isElsewhere).flatMap(({ lines }) => lines))
  const owedNow = totalsOf(owed)
  const before = totalsOf(file.plan.fittedTo)
  return prices.map(({ componentType, amountPaise }) => ({
    componentType,
    amountPaise: atLeastZero((owedNow.get(componentType) ?? ZERO) - (out.get(componentType) ?? ZERO)),
    hasFeeFallen: amountPaise < (before.get(componentType) ?? ZERO),
  }))
}

/**
 * The ERP's amounts are taken as they are, whether or not they add up to what is owed. From then on the room between the
 * two stays the same, whatever the bank does; when it shrinks, money came or a fee fell, and the rows take that less.
 */
function customTargets(file: LoadedPlan, student: StudentContext): Target[] {
  const planned = plannedOf(file)
  const prices = totalsOf(student.prices)
  const before = new Map(file.plan.fittedTo.map(line => [line.componentType, line]))
  return [...planned].map(([componentType, amountPaise]) => {
    const then = before.get(componentType)
    const now = roomOf(file, student, componentType)
    const shrunkBy = then?.roomPaise === undefined ? 0 : Math.max(then.roomPaise - now, 0)
    return {
      componentType,
      amountPaise: atLeastZero(amountPaise - shrunkBy),
      hasFeeFallen: (prices.get(componentType) ?? ZERO) < (then?.amountPaise ?? ZERO),
    }
  })
}

function plannedOf(file: LoadedPlan): Map<string, Paise> {
  return totalsOf(openRows(file).flatMap(({ lines }) => lines))
}

function roomOf(file: LoadedPlan, { owed }: StudentContext, componentType: string): number {
  const of = (totals: ReadonlyMap<string, Paise>): number => totals.get(componentType) ?? ZERO
  const out = totalsOf(file.instalments.filter(isElsewhere).flatMap(({ lines }) => lines))
  return of(totalsOf(owed)) - of(out) - of(plannedOf(file))
}

/** Room that grew is kept as it was: a payment that was cancelled and recorded anew must not count twice. */
function fittedTo(file: LoadedPlan, student: StudentContext): FittedLine[] {
  if (!file.plan.isCustom) return student.prices
  const before = new Map(file.plan.fittedTo.map(line => [line.componentType, line.roomPaise]))
  return roomsOf(file, student).map(line => ({
    ...line,
    roomPaise: Math.min(line.roomPaise ?? 0, before.get(line.componentType) ?? Infinity),
  }))
}

/** What a schedule of the ERP's was taken over with. */
export function roomsOf(file: LoadedPlan, student: StudentContext): FittedLine[] {
  const prices = totalsOf(student.prices)
  const types = new Set([...prices.keys(), ...plannedOf(file).keys()])
  return [...types].map(componentType => ({
    componentType,
    amountPaise: prices.get(componentType) ?? ZERO,
    roomPaise: roomOf(file, student, componentType),
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
  file: LoadedPlan,
  student: StudentContext,
  before: readonly Instalment[],
): void {
  const changes = file.instalments.flatMap(after => {
    const earlier = before.find(one => one.id === after.id)
    const field = (name: string, from: unknown, to: unknown) =>
      from === to ? [] : [{ field: `payment_schedule.${after.id}.${name}`, before: from, after: to }]
    // One that is new had nothing before.
    return [
      ...field('amount', earlier && sumLines(earlier.lines) / 100, sumLines(after.lines) / 100),
      ...field('status', earlier?.state, after.state),
      ...field('due_date', earlier?.dueOn, after.dueOn),
      ...(isSplitAnew(earlier, after)
        ? field('details', scheduleRowBlock(earlier).details, scheduleRowBlock(after).details)
        : []),
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

/** Another split of the same amount; with another amount the schedule beside the changes says enough. */
function isSplitAnew(before: Instalment | undefined, after: Instalment): before is Instalment {
  if (before === undefined || sumLines(before.lines) !== sumLines(after.lines)) return false
  return JSON.stringify(scheduleRowBlock(before).details) !== JSON.stringify(scheduleRowBlock(after).details)
}

/** Closes a plan of which nothing more is expected. */
export function closeIfDone(desk: Desk, file: LoadedPlan, student: StudentContext): void {
  if (!isOver(file)) return
  desk.movePlan(file, 'closed', 'everything is paid, covered or waived')
  desk.tell(flexEvent('flex.subscription.closed', file, { student, at: desk.now }))
}

function isOver({ plan: { state }, instalments }: LoadedPlan): boolean {
  return (state === 'active' || state === 'locked' || state === 'setup') && instalments.every(isDone)
}
