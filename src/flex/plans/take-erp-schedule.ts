import { dayOf } from '../../platform/calendar.ts'
import { endInstalment, withdrawNotice } from '../notices/withdraw-notice.ts'
import { presentationDay } from '../rules/debit.rules.ts'
import { matchRows } from '../rules/erp-schedule.rules.ts'
import { isSameMoney, sumLines } from '../rules/lines.rules.ts'
import { isDueOnline, isOpen, nextNumber, type Instalment } from '../rules/plan.rules.ts'
import { roomsOf } from '../rules/rebalance.rules.ts'
import { newInstalment, type ScheduleRow } from '../rules/schedule.rules.ts'
import type { PlanChanges } from './plan-changes.ts'
import { closeIfFinished, recordScheduleChanges } from './rebalance.ts'

const CHANGED = "the ERP's schedule changed it"

/**
 * Takes over the schedule that the ERP sent: it replaces what is still to come and not out at the bank. What it says of
 * the past, of what was presented or paid, or of a down payment after set-up is ignored, and noted.
 */
export function takeErpSchedule(plan: PlanChanges, rows: readonly ScheduleRow[]): void {
  const before = plan.instalments
  const today = dayOf(plan.now)
  const matches = matchRows(
    before.filter(one => !isDueOnline(one) && one.state !== 'cancelled'),
    rows,
  )
  const kept = new Set<string>()
  plan.changePlan({ isCustom: true })
  for (const row of rows) {
    const known = matches.get(row)
    const online = known === undefined ? [] : before.filter(one => isRestOf(one, known))
    for (const one of known === undefined ? [] : [...online, known]) kept.add(one.id)
    const ignored = reasonToIgnore(row, known, today)
    if (ignored !== null) plan.note(known ?? null, 'row ignored', `${row.dueOn}: ${ignored}`)
    else if (known === undefined) addRow(plan, row)
    else changeRow(plan, { known, online, row })
  }
  for (const one of before.filter(isOpen))
    if (!kept.has(one.id) && one.dueOn >= today && !one.isDownpayment)
      endInstalment(plan, one, 'cancelled', { why: "it is not in the ERP's schedule any more" })
  plan.changePlan({ fittedTo: roomsOf(plan, plan.student), fittedAt: plan.now })
  recordScheduleChanges(plan, before)
  closeIfFinished(plan)
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
  if (isNothing && sumLines(row.lines) === 0) return 'it asks for nothing'
  return row.dueOn < today ? 'it lies in the past' : null
}

function addRow(plan: PlanChanges, row: ScheduleRow): void {
  const { instituteId, id: planId } = plan.plan
  const number = nextNumber(plan)
  const presentOn = dayFor(plan, row.dueOn, null)
  const added = newInstalment({ instituteId, planId, number }, row, { presentOn, nextStepAt: plan.now })
  plan.note(added, 'added', "by the ERP's schedule")
  plan.put(added)
}

type Match = { known: Instalment; online: readonly Instalment[]; row: ScheduleRow }

function changeRow(plan: PlanChanges, { known, online, row }: Match): void {
  const { lines, dueOn } = row
  const names = {
    referenceId: row.referenceId ?? known.referenceId,
    identifier: row.identifier ?? known.identifier,
  }
  // What the mandate may not take of a row was split off it, and is still part of what the ERP asks for.
  const planned = [known, ...online].flatMap(one => one.lines)
  const isWaived = known.state === 'waived'
  if (!isWaived && isSameMoney(planned, lines) && known.dueOn === dueOn) {
    const isNamed = known.referenceId === names.referenceId && known.identifier === names.identifier
    if (!isNamed) for (const one of [known, ...online]) plan.change(one, names)
    return
  }
  for (const one of online) endInstalment(plan, one, 'cancelled', { why: CHANGED })
  if (sumLines(lines) === 0)
    return endInstalment(plan, known, 'waived', { why: "the ERP's schedule asks nothing for it" })
  const isDayKept = known.dueOn === dueOn && !isWaived
  const presentOn = isDayKept ? known.presentOn : dayFor(plan, dueOn, known)
  const change = { ...names, dueOn, presentOn, lines, notifiedAt: null }
  if (known.state === 'confirmed') return withdrawNotice(plan, known, CHANGED, change)
  if (isWaived) {
    const why = "the ERP's schedule asks for it again"
    plan.move(known, 'scheduled', why, { ...change, nextStepAt: plan.now })
    return
  }
  plan.note(known, 'changed', "by the ERP's schedule")
  // One that came back from the bank for good waits for a person; a skipped one for the ERP.
  const nextStepAt = known.state === 'scheduled' ? plan.now : known.nextStepAt
  plan.change(known, { ...change, nextStepAt })
}

function dayFor(plan: PlanChanges, dueOn: string, known: Instalment | null): string {
  const others = plan.instalments.filter(
    one => one.id !== known?.id && (isOpen(one) || one.state === 'presented'),
  )
  const { rules, holidays } = plan.debitRules
  return presentationDay(dueOn, {
    setUpOn: dayOf(plan.mandate?.authorisedAt ?? plan.plan.createdAt),
    rail: plan.rail,
    rules,
    holidays,
    takenDays: new Set(others.map(one => one.presentOn)),
  })
}
