import { newId } from '../../platform/ids.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import type { ScheduleRow } from '../../erp/erp.rules.ts'
import { matchRows } from '../rules/erp-schedule.rules.ts'
import type { Desk } from './plan-changes.ts'
import { presentationDay } from '../rules/debit.rules.ts'
import {
  isDueOnline,
  isOpen,
  type Instalment,
  type InstalmentState,
  type LoadedPlan,
} from '../rules/plan.rules.ts'
import { closeIfDone, roomsOf, tellChanges } from './rebalance.ts'
import { sumLines, totalsOf, type Line } from '../rules/schedule.rules.ts'
import type { DebitRules } from '../rules/debit.rules.ts'
import { sayWithdrawn, withdrawNotice, type PlanScene } from '../notices/withdraw-notice.ts'

type Adopting = PlanScene & { desk: Desk; debitRules: DebitRules }

/**
 * Takes over the schedule that the ERP sent: it replaces what is still to come and not out at the bank. What it says of
 * the past, of what was presented or paid, or of a down payment after set-up is ignored, and noted.
 */
export function adoptSchedule(
  desk: Desk,
  file: LoadedPlan,
  student: StudentContext,
  { rows, debitRules }: { rows: readonly ScheduleRow[]; debitRules: DebitRules },
): void {
  const before = file.instalments
  const today = dayOf(desk.now)
  const scene = { desk, file, student, debitRules }
  const matches = matchRows(
    before.filter(one => !isDueOnline(one) && one.state !== 'cancelled'),
    rows,
  )
  const kept = new Set<string>()
  desk.changePlan(file, { isCustom: true })
  for (const row of rows) {
    const known = matches.get(row)
    const online = known === undefined ? [] : before.filter(one => isRestOf(one, known))
    for (const one of [...online, ...(known === undefined ? [] : [known])]) kept.add(one.id)
    const ignored = reasonToIgnore(row, known, today)
    if (ignored !== null) desk.note(file, known ?? null, 'row ignored', `${row.dueDate}: ${ignored}`)
    else if (known === undefined) addRow(scene, row)
    else changeRow(scene, { known, online, row })
  }
  for (const one of before.filter(isOpen))
    if (!kept.has(one.id) && one.dueOn >= today && !one.isDownpayment)
      end(scene, one, 'cancelled', "it is not in the ERP's schedule any more")
  desk.changePlan(file, { fittedTo: roomsOf(file, student), fittedAt: desk.now })
  tellChanges(desk, file, student, before)
  closeIfDone(desk, file, student)
}

/** The part of an instalment that its mandate could not take, still to be paid online. */
function isRestOf(one: Instalment, whole: Instalment): boolean {
  return (
    isDueOnline(one) &&
    one.dueOn === whole.dueOn &&
    one.referenceId === whole.referenceId &&
    one.identifier === whole.identifier
  )
}

function reasonToIgnore(row: ScheduleRow, known: Instalment | undefined, today: string): string | null {
  if (row.isDownpayment) return 'a down payment is only taken at set-up'
  const isChangeable = known === undefined || isOpen(known) || known.state === 'waived'
  if (!isChangeable) return `the instalment is ${known.state}`
  const isNothing = known === undefined || known.state === 'waived'
  if (isNothing && sumLines(linesOf(row)) === 0) return 'it asks for nothing'
  return row.dueDate < today ? 'it lies in the past' : null
}

/** A component of which a row takes nothing is no line: an order has none of them. */
function linesOf(row: ScheduleRow): Line[] {
  return row.details
    .filter(({ amountPaise }) => amountPaise > 0)
    .map(({ componentType, amountPaise }) => ({ componentType, amountPaise }))
}

function addRow({ desk, file, debitRules }: Adopting, row: ScheduleRow): void {
  const [like] = file.instalments
  if (like === undefined) return
  const added: Instalment = {
    ...like,
    id: newId('inst'),
    number: 1 + Math.max(...file.instalments.map(one => one.number)),
    state: 'scheduled',
    isDownpayment: false,
    dueOn: row.dueDate,
    presentOn: dayFor(row.dueDate, file, debitRules, null),
    referenceId: row.referenceId,
    identifier: row.identifier,
    lines: linesOf(row),
    attempt: 0,
    bankReturns: 0,
    firstBankReturnAt: null,
    notifiedAt: null,
    presentedOn: null,
    returnCode: null,
    fetchTries: 0,
    orderId: null,
    nextStepAt: desk.now,
  }
  desk.note(file, added, 'added', "by the ERP's schedule")
  desk.change(file, added, {})
}

type Match = { known: Instalment; online: readonly Instalment[]; row: ScheduleRow }

function changeRow(scene: Adopting, { known, online, row }: Match): void {
  const { desk, file, debitRules } = scene
  const lines = linesOf(row)
  const names = {
    referenceId: row.referenceId ?? known.referenceId,
    identifier: row.identifier ?? known.identifier,
  }
  // What the mandate may not take of a row was split off it, and is still part of what the ERP asks for.
  const planned = [known, ...online].flatMap(one => one.lines)
  const isWaived = known.state === 'waived'
  if (!isWaived && isSameMoney(planned, lines) && known.dueOn === row.dueDate) {
    const isNamed = known.referenceId === names.referenceId && known.identifier === names.identifier
    if (!isNamed) for (const one of [known, ...online]) desk.change(file, one, names)
    return
  }
  for (const one of online) end(scene, one, 'cancelled', "the ERP's schedule changed it")
  if (sumLines(lines) === 0) return end(scene, known, 'waived', "the ERP's schedule asks nothing for it")
  const isDayKept = known.dueOn === row.dueDate && !isWaived
  const presentOn = isDayKept ? known.presentOn : dayFor(row.dueDate, file, debitRules, known)
  const change = { ...names, dueOn: row.dueDate, presentOn, lines, notifiedAt: null }
  const why = "the ERP's schedule changed it"
  if (known.state === 'confirmed') return withdrawNotice(desk, scene, known, { why, ...change })
  if (isWaived) {
    desk.move(file, known, 'scheduled', "the ERP's schedule asks for it again", {
      ...change,
      nextStepAt: desk.now,
    })
    return
  }
  desk.note(file, known, 'changed', "by the ERP's schedule")
  // One that came back from the bank for good waits for a person; a skipped one for the ERP.
  const nextStepAt = known.state === 'scheduled' ? desk.now : known.nextStepAt
  desk.change(file, known, { ...change, nextStepAt })
}

function end(
  { desk, file, student }: Adopting,
  instalment: Instalment,
  to: Extract<InstalmentState, 'cancelled' | 'waived'>,
  why: string,
): void {
  if (instalment.state === 'confirmed') sayWithdrawn(desk, { file, student }, instalment, why)
  desk.move(file, instalment, to, why, { nextStepAt: null, notifiedAt: null })
}

function isSameMoney(one: readonly Line[], other: readonly Line[]): boolean {
  const before = totalsOf(one)
  const after = totalsOf(other)
  return before.size === after.size && [...after].every(([type, amount]) => before.get(type) === amount)
}

function dayFor(
  dueOn: string,
  file: LoadedPlan,
  { rules, holidays }: DebitRules,
  known: Instalment | null,
): string {
  const takenDays = new Set(
    file.instalments
      .filter(one => one.id !== known?.id && (isOpen(one) || one.state === 'presented'))
      .map(one => one.presentOn),
  )
  const setUpOn = dayOf(file.mandate?.authorisedAt ?? file.plan.createdAt)
  return presentationDay(dueOn, {
    setUpOn,
    rail: rules.rails[file.mandate?.rail ?? 'enach'],
    rules,
    holidays,
    takenDays,
  })
}
