import type { ScheduleRow as ErpRow } from '../../erp/erp.rules.ts'
import { minPaise, paiseOf, ZERO, type Paise, formatRupees } from '../../platform/money.ts'
import {
  linesFrom,
  sumLines,
  totalsOf,
  type Line,
  isSameMoney,
  isEndedByData,
  isOpen,
  type Instalment,
  type LoadedPlan,
  nextNumber,
} from './plan.rules.ts'
import { type ScheduleRow, newInstalment } from './schedule.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import { endInstalment, withdrawNotice, type PlanInChange } from './plan-in-change.rules.ts'
import { presentationDay } from './debit.rules.ts'
import { availableBeside } from './rebalance.rules.ts'
import { addAll } from '../../platform/lists.ts'

export function scheduleRowOf({ dueDate, details, ...row }: ErpRow): ScheduleRow {
  const { isDownpayment, referenceId, identifier } = row
  const lines = details
    .filter(({ amountPaise }) => amountPaise > 0)
    .map(({ componentType, amountPaise }) => ({ componentType, amountPaise }))
  return { dueOn: dueDate, isDownpayment, referenceId, identifier, lines }
}

type InstalmentReference = Pick<Instalment, 'id' | 'dueOn' | 'referenceId' | 'identifier'>

const BY = [
  (known: InstalmentReference, row: ScheduleRow) =>
    row.referenceId !== null && known.referenceId === row.referenceId,
  (known: InstalmentReference, row: ScheduleRow) =>
    row.identifier !== null && known.identifier === row.identifier,
  (known: InstalmentReference, row: ScheduleRow) => known.dueOn === row.dueOn,
]

/**
 * Finds the instalment that each row of the ERP's schedule means: the one with its reference, else with its identifier, else
 * of its due date. Each instalment has one row at most, and an earlier row does not take a better match from a later one. Rows
 * and instalments with different names never match, whatever day they fall on.
 */
export function matchRows<Known extends InstalmentReference>(
  known: readonly Known[],
  rows: readonly ScheduleRow[],
): Map<ScheduleRow, Known> {
  const matches = new Map<ScheduleRow, Known>()
  const taken = new Set<string>()
  for (const isMatch of BY) {
    for (const row of rows) {
      if (matches.has(row)) continue
      const found = known.find(one => !taken.has(one.id) && isMatch(one, row) && !isNamedOtherwise(one, row))
      if (found === undefined) continue
      matches.set(row, found)
      taken.add(found.id)
    }
  }
  return matches
}

function isNamedOtherwise(known: InstalmentReference, row: ScheduleRow): boolean {
  if (known.referenceId !== null && row.referenceId !== null) return known.referenceId !== row.referenceId
  return known.identifier !== null && row.identifier !== null && known.identifier !== row.identifier
}

/** The ERP's rows mean instalments that are debited; a charge is none of its schedule. */
function isOfSchedule({ state, isCharge }: Instalment): boolean {
  return !isCharge && state !== 'due' && state !== 'cancelled'
}

/** Why a row changes nothing; null when it counts. */
function reasonToIgnore(row: ScheduleRow, known: Instalment | undefined, today: string): string | null {
  if (row.isDownpayment) return 'a down payment is only taken at set-up'
  const isChangeable = known === undefined || isOpen(known) || isEndedByData(known)
  if (!isChangeable) return `the instalment is ${known.state}`
  const isNothing = known === undefined || isEndedByData(known)
  if (isNothing && sumLines(row.lines) === 0) return 'it asks for nothing'
  return row.dueOn < today ? 'it lies in the past' : null
}

type Difference = { key: string; message: string }

/** Where a plan that is set up would depart from the rows of its ERP because of what has happened to it. */
export function planDifferences(
  { instalments }: Pick<LoadedPlan, 'instalments'>,
  rows: readonly ScheduleRow[],
  today: string,
): Difference[] {
  const path = 'data.payment_schedule'
  const matches = matchRows(instalments.filter(isOfSchedule), rows)
  const ignored = rows.flatMap((row, index): Difference[] => {
    const why = reasonToIgnore(row, matches.get(row), today)
    return why === null ? [] : [{ key: `${path}.${index}`, message: `is ignored by the plan: ${why}` }]
  })
  const named = new Set(matches.values())
  const missing = instalments.filter(
    one => isOpen(one) && isOfSchedule(one) && !one.isDownpayment && one.dueOn >= today && !named.has(one),
  )
  return [
    ...ignored,
    ...missing.map(({ dueOn }) => ({
      key: path,
      message: `has no row for the instalment of ${dueOn}, which would leave the plan`,
    })),
  ]
}

/** Never more of a component than is available: the rows at the end give way. */
export function limitLines<Row extends { lines: readonly Line[] }>(
  rows: readonly Row[],
  available: readonly Line[],
): Map<Row, Line[]> {
  const left = totalsOf(available)
  return new Map(
    rows.map(row => {
      const lines = linesFrom(
        [...totalsOf(row.lines)].map(([componentType, asked]): [string, Paise] => {
          const taken = minPaise(asked, left.get(componentType) ?? ZERO)
          left.set(componentType, paiseOf((left.get(componentType) ?? ZERO) - taken))
          return [componentType, taken]
        }),
      )
      return [row, lines]
    }),
  )
}

const CHANGED = "the ERP's schedule changed it"

/**
 * Takes over the schedule that the ERP sent: it replaces what is still to come and not out at the bank. Amounts are taken
 * as they are, but never more of a component than is owed: the latest rows give way. What the rows leave open stays due
 * outside of the plan. What it says of the past, of what was presented or paid, or of a down payment after set-up is
 * ignored, and noted.
 */
export function takeSchedule(plan: PlanInChange, rows: readonly ScheduleRow[]): void {
  const before = plan.instalments
  plan.changePlan({ isCustom: true })
  const { taken, kept } = matchSchedule(plan, rows)
  // One that was covered comes back only for what the others leave.
  const inTurn = taken.toSorted((one, other) => Number(isCovered(one)) - Number(isCovered(other)))
  const lines = limitLines(
    inTurn.map(({ row }) => row),
    availableBeside(plan, kept, plan.student),
  )
  for (const match of taken) takeRow(plan, match, lines.get(match.row) ?? [])
  const stays = new Set([...kept, ...taken.flatMap(({ known, online }) => [known, ...online])])
  for (const one of before.filter(isOpen))
    if (!stays.has(one))
      endInstalment(plan, one, 'cancelled', { why: "it is not in the ERP's schedule any more" })
}

const isCovered = ({ known }: Match): boolean => known?.state === 'covered'

type Match = { row: ScheduleRow; known: Instalment | undefined; online: readonly Instalment[] }

/** The rows that count, by their days; and the instalments that stay as they are. */
function matchSchedule(
  plan: PlanInChange,
  rows: readonly ScheduleRow[],
): { taken: Match[]; kept: Instalment[] } {
  const today = dayOf(plan.now)
  const { instalments } = plan
  const matches = matchRows(instalments.filter(isOfSchedule), rows)
  const kept = instalments.filter(
    one => isOpen(one) && (one.dueOn < today || one.isDownpayment || one.isCharge),
  )
  const taken: Match[] = []
  for (const row of rows.toSorted((one, other) => (one.dueOn < other.dueOn ? -1 : 1))) {
    const known = matches.get(row)
    const online = known === undefined ? [] : instalments.filter(one => isRestOf(one, known))
    const ignored = reasonToIgnore(row, known, today)
    if (ignored === null) taken.push({ row, known, online })
    else {
      plan.note(known ?? null, 'row ignored', `${row.dueOn}: ${ignored}`)
      if (known !== undefined) addAll(kept, [known, ...online])
    }
  }
  const isTaken = new Set(taken.flatMap(({ known, online }) => [known, ...online]))
  return { taken, kept: [...new Set(kept)].filter(one => !isTaken.has(one)) }
}

function takeRow(plan: PlanInChange, { row, known, online }: Match, lines: Line[]): void {
  const asked = sumLines(row.lines)
  if (known?.state === 'covered' && lines.length === 0)
    return plan.note(known, 'row ignored', `${row.dueOn}: the instalment is covered`)
  if (sumLines(lines) < asked) {
    const why = `${formatRupees(sumLines(lines))} instead of ${formatRupees(asked)}, because no more is owed`
    plan.note(known ?? null, 'row limited', `${row.dueOn}: ${why}`)
  }
  if (known !== undefined) changeRow(plan, { known, online, row: { ...row, lines } }, asked)
  else if (lines.length > 0) addRow(plan, { ...row, lines })
}

/** The part of an instalment that its mandate could not take, still to be paid online. */
function isRestOf(one: Instalment, whole: Instalment): boolean {
  return (
    one.state === 'due' &&
    !one.isCharge &&
    one.dueOn === whole.dueOn &&
    one.referenceId === whole.referenceId &&
    one.identifier === whole.identifier
  )
}

function addRow(plan: PlanInChange, row: ScheduleRow): void {
  const { instituteId, id: planId } = plan.plan
  const number = nextNumber(plan)
  const presentOn = dayFor(plan, row.dueOn, null)
  const added = newInstalment({ instituteId, planId, number }, row, { presentOn, nextStepAt: plan.now })
  plan.note(added, 'added', "by the ERP's schedule")
  plan.put(added)
}

function changeRow(
  plan: PlanInChange,
  { known, online, row }: Match & { known: Instalment },
  asked: Paise,
): void {
  const { lines, dueOn } = row
  const names = {
    referenceId: row.referenceId ?? known.referenceId,
    identifier: row.identifier ?? known.identifier,
  }
  // The parts that are paid online were split off this row, so they count as planned by it.
  const planned = [known, ...online].flatMap(one => one.lines)
  const isEnded = isEndedByData(known)
  if (!isEnded && isSameMoney(planned, lines) && known.dueOn === dueOn) {
    const isNamed = known.referenceId === names.referenceId && known.identifier === names.identifier
    if (!isNamed) for (const one of [known, ...online]) plan.change(one, names)
    return
  }
  for (const one of online) endInstalment(plan, one, 'cancelled', { why: CHANGED })
  if (lines.length === 0) return endRow(plan, known, asked)
  const isDayKept = known.dueOn === dueOn && !isEnded
  const presentOn = isDayKept ? known.presentOn : dayFor(plan, dueOn, known)
  const change = { ...names, dueOn, presentOn, lines, planned: lines, notifiedAt: null }
  if (known.state === 'confirmed') return withdrawNotice(plan, known, CHANGED, change)
  if (isEnded) {
    const why = "the ERP's schedule asks for it again"
    plan.move(known, 'scheduled', why, { ...change, nextStepAt: plan.now })
    return
  }
  plan.note(known, 'changed', "by the ERP's schedule")
  // One that came back from the bank for good waits for a person; a skipped one for the ERP.
  const nextStepAt = known.state === 'scheduled' ? plan.now : known.nextStepAt
  plan.change(known, { ...change, nextStepAt })
}

/** The schedule asks for nothing, or nothing of what it asks for is owed. */
function endRow(plan: PlanInChange, known: Instalment, asked: Paise): void {
  if (isEndedByData(known)) return
  if (asked === 0)
    return endInstalment(plan, known, 'waived', { why: "the ERP's schedule asks nothing for it" })
  const prices = totalsOf(plan.student.prices)
  const hasFallen = known.planned.some(({ componentType }) => {
    const then = plan.plan.fittedTo.find(line => line.componentType === componentType)
    return (prices.get(componentType) ?? 0) < (then?.amountPaise ?? 0)
  })
  const state = hasFallen ? 'waived' : 'covered'
  endInstalment(plan, known, state, { why: 'nothing of what it was for is owed' })
}

function dayFor(plan: PlanInChange, dueOn: string, known: Instalment | null): string {
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
