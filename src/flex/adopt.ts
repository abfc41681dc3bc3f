import { newId } from '../platform/ids.ts'
import { dayOf } from '../platform/calendar.ts'
import type { StudentContext } from '../students/student-contexts.service.ts'
import type { ScheduleRow } from '../students/erp.rules.ts'
import type { Desk } from './desk.ts'
import { presentationDay } from './pipeline.rules.ts'
import { isOpen, type Instalment, type PlanFile } from './plans.rules.ts'
import { closeIfDone, tellChanges } from './refit.ts'
import { sumLines, totalsOf } from './schedule.rules.ts'
import type { Almanac } from './situations.ts'

/**
 * Takes over the schedule that the ERP sent: it replaces what is still to come and not out at the bank. A row is known
 * by its reference, else its identifier, else its due date. What it says of the past, of what was presented or paid, or of
 * a down payment after set-up is ignored, and noted.
 */
export function adoptSchedule(
  desk: Desk,
  file: PlanFile,
  student: StudentContext,
  { rows, almanac }: { rows: readonly ScheduleRow[]; almanac: Almanac },
): void {
  const before = file.instalments
  const today = dayOf(desk.now)
  const kept = new Set<string>()
  desk.changePlan(file, { isCustom: true })
  for (const row of rows) {
    const known = before.find(one => !kept.has(one.id) && isSame(one, row))
    if (known !== undefined) kept.add(known.id)
    const ignored = reasonToIgnore(row, known, today)
    if (ignored !== null) desk.note(file, known ?? null, 'row ignored', `${row.dueDate}: ${ignored}`)
    else if (known === undefined) addRow(desk, file, row, almanac)
    else changeRow(desk, file, known, { row, almanac })
  }
  for (const one of before.filter(isOpen))
    if (!kept.has(one.id) && one.dueOn >= today && !one.isDownpayment)
      desk.move(file, one, 'cancelled', "it is not in the ERP's schedule any more", { nextStepAt: null })
  tellChanges(desk, file, student, before)
  closeIfDone(desk, file, student)
}

function isSame(instalment: Instalment, row: ScheduleRow): boolean {
  if (row.referenceId !== null) return instalment.referenceId === row.referenceId
  if (row.identifier !== null) return instalment.identifier === row.identifier
  return instalment.dueOn === row.dueDate
}

function reasonToIgnore(row: ScheduleRow, known: Instalment | undefined, today: string): string | null {
  if (row.isDownpayment) return 'a down payment is only taken at set-up'
  if (known !== undefined && !isOpen(known)) return `the instalment is ${known.state}`
  if (known === undefined && sumLines(linesOf(row)) === 0) return 'it asks for nothing'
  return row.dueDate < today ? 'it lies in the past' : null
}

/** A component of which a row takes nothing is no line: an order has none of them. */
function linesOf(row: ScheduleRow) {
  return row.details
    .filter(({ amountPaise }) => amountPaise > 0)
    .map(({ componentType, amountPaise }) => ({ componentType, amountPaise }))
}

function addRow(desk: Desk, file: PlanFile, row: ScheduleRow, almanac: Almanac): void {
  const [like] = file.instalments
  if (like === undefined) return
  const added: Instalment = {
    ...like,
    id: newId('inst'),
    number: 1 + Math.max(...file.instalments.map(one => one.number)),
    state: 'scheduled',
    isDownpayment: false,
    dueOn: row.dueDate,
    presentOn: dayFor(row.dueDate, file, almanac, null),
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

function changeRow(
  desk: Desk,
  file: PlanFile,
  known: Instalment,
  { row, almanac }: { row: ScheduleRow; almanac: Almanac },
): void {
  const lines = linesOf(row)
  const isSameAmount = sameTotals(known, lines)
  const reference = {
    referenceId: row.referenceId ?? known.referenceId,
    identifier: row.identifier ?? known.identifier,
  }
  if (isSameAmount && known.dueOn === row.dueDate) return
  if (sumLines(lines) === 0) {
    desk.move(file, known, 'waived', "the ERP's schedule asks nothing for it", {
      nextStepAt: null,
      notifiedAt: null,
    })
    return
  }
  const presentOn = known.dueOn === row.dueDate ? known.presentOn : dayFor(row.dueDate, file, almanac, known)
  const change = {
    ...reference,
    dueOn: row.dueDate,
    presentOn,
    lines,
    notifiedAt: null,
    nextStepAt: desk.now,
  }
  if (known.state === 'confirmed')
    desk.move(file, known, 'scheduled', "the ERP's schedule changed it", change)
  else {
    desk.note(file, known, 'changed', "by the ERP's schedule")
    desk.change(
      file,
      known,
      known.state === 'scheduled' ? change : { ...change, nextStepAt: known.nextStepAt },
    )
  }
}

function sameTotals(known: Instalment, lines: Instalment['lines']): boolean {
  const before = totalsOf(known.lines)
  const after = totalsOf(lines)
  return before.size === after.size && [...after].every(([type, amount]) => before.get(type) === amount)
}

function dayFor(
  dueOn: string,
  file: PlanFile,
  { rules, holidays }: Almanac,
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
