import type { FieldProblem } from '../../platform/errors.ts'
import {
  minPaise,
  paiseOf,
  splitInProportion,
  subtractPaise,
  sumPaise,
  ZERO,
  type Paise,
} from '../../platform/money.ts'

/** What a student still owes, or an instalment takes, component by component. */
export type Line = { componentType: string; amountPaise: Paise }

export type ScheduleRow = {
  dueOn: string
  isDownpayment: boolean
  referenceId: string | null
  identifier: string | null
  lines: Line[]
}

export type DefaultPlan = { instalments: number; dayOfMonth: number; downpaymentPercent: number }

export const STANDARD_PLAN: DefaultPlan = { instalments: 10, dayOfMonth: 5, downpaymentPercent: 0 }

/** Equal parts in paise, what is left over on the last; per component, so that every sum is exact. */
export function equalMonthly(
  owed: readonly Line[],
  plan: DefaultPlan,
  firstFrom: string,
  today: string,
): ScheduleRow[] {
  const down = owed.map(line => paiseOf(Math.floor((line.amountPaise * plan.downpaymentPercent) / 100)))
  const rest = owed.map((line, index) => subtractPaise(line.amountPaise, down[index] ?? ZERO))
  const parts = rest.map(amount => splitEqually(amount, plan.instalments))
  const rows: ScheduleRow[] = dueDays(firstFrom, plan).map((dueOn, n) => ({
    dueOn,
    isDownpayment: false,
    referenceId: null,
    identifier: null,
    lines: linesOf(
      owed,
      parts.map(amounts => amounts[n] ?? ZERO),
    ),
  }))
  const first: ScheduleRow = {
    dueOn: today,
    isDownpayment: true,
    referenceId: null,
    identifier: null,
    lines: linesOf(owed, down),
  }
  return [first, ...rows].filter(row => row.lines.length > 0)
}

export function splitEqually(amount: Paise, count: number): Paise[] {
  const part = paiseOf(Math.floor(amount / count))
  const last = paiseOf(amount - part * (count - 1))
  return Array.from({ length: count }, (_, index) => (index === count - 1 ? last : part))
}

function dueDays(firstFrom: string, { instalments, dayOfMonth }: DefaultPlan): string[] {
  const from = Temporal.PlainDate.from(firstFrom)
  const month = from.toPlainYearMonth()
  // Each month by itself: a day that one month lacks is its last, and the months after it have the day again.
  const dayIn = (n: number) => month.add({ months: n }).toPlainDate({ day: dayOfMonth })
  const first = Temporal.PlainDate.compare(dayIn(0), from) < 0 ? 1 : 0
  return Array.from({ length: instalments }, (_, n) => dayIn(first + n).toString())
}

function linesOf(owed: readonly Line[], amounts: readonly Paise[]): Line[] {
  return owed.flatMap(({ componentType }, index) => {
    const amountPaise = amounts[index] ?? ZERO
    return amountPaise > 0 ? [{ componentType, amountPaise }] : []
  })
}

const MOST_ROWS = 60
const MOST_YEARS_AHEAD = 10

/** What is wrong with the form of a schedule: its days, and rows that take nothing. */
export function formProblems(
  rows: readonly ScheduleRow[],
  { today, path }: { today: string; path: string },
): FieldProblem[] {
  const problems: FieldProblem[] = []
  const last = lastDueDay(today)
  if (rows.length > MOST_ROWS) problems.push({ key: path, message: `has more than ${MOST_ROWS} instalments` })
  const days = new Set<string>()
  for (const [index, row] of rows.entries()) {
    const key = `${path}.${index}.due_date`
    if (sumLines(row.lines) === 0)
      problems.push({ key: `${path}.${index}.details`, message: 'add up to nothing' })
    if (row.isDownpayment) continue
    if (row.dueOn < today) problems.push({ key, message: 'is in the past' })
    if (row.dueOn > last) problems.push({ key, message: `is more than ${MOST_YEARS_AHEAD} years ahead` })
    if (days.has(row.dueOn)) problems.push({ key, message: 'stands twice; one instalment a day' })
    days.add(row.dueOn)
  }
  if (rows.filter(row => row.isDownpayment).length > 1)
    problems.push({ key: path, message: 'has more than one down payment' })
  if (days.size === 0) problems.push({ key: path, message: 'needs an instalment beside the down payment' })
  return problems
}

/** Of the schedule that the ERP has for a student: what lies in the past or asks for nothing is not set up. */
export function rowsToSetUp(rows: readonly ScheduleRow[], today: string): ScheduleRow[] {
  return rows.filter(row => sumLines(row.lines) > 0 && (row.isDownpayment || row.dueOn >= today))
}

export function lastDueDay(today: string): string {
  return Temporal.PlainDate.from(today).add({ years: MOST_YEARS_AHEAD }).toString()
}

/** A schedule must take exactly what is owed, of each component. */
export function sumProblems(
  rows: readonly ScheduleRow[],
  owed: readonly Line[],
  path: string,
): FieldProblem[] {
  const problems: FieldProblem[] = []
  const planned = totalsOf(rows.flatMap(row => row.lines))
  for (const { componentType, amountPaise } of owed) {
    const taken = planned.get(componentType) ?? ZERO
    planned.delete(componentType)
    if (taken !== amountPaise) {
      const message = `takes ${taken / 100} rupees of ${componentType}, of which ${amountPaise / 100} are outstanding`
      problems.push({ key: path, message })
    }
  }
  for (const [componentType, amount] of planned) {
    if (amount > 0)
      problems.push({ key: path, message: `takes ${componentType}, of which nothing is outstanding` })
  }
  return problems
}

/** An instalment that has not been presented, as far as fitting is concerned; in the order in which they are due. */
export type OpenRow = {
  id: string
  lines: readonly Line[]
  /** False for one that was presented and came back: it stays due as it is, and a higher fee goes to the others. */
  isToCome?: boolean
}

/** What a component still has to bring, and whether its fee fell since the schedule was last fitted. */
export type Target = { componentType: string; amountPaise: Paise; hasFeeFallen: boolean }

export type FittedRow = { id: string; lines: Line[]; becomes: 'open' | 'covered' | 'waived' }

/**
 * Fits what is still to be debited to what is still owed. Less is taken off the earliest instalments first; more is
 * spread over all of them in proportion, or equally over those that have none of it. One that comes to nothing is
 * covered when money came otherwise and waived when the fee fell. Only rows that change come back.
 */
export function fitSchedule(rows: readonly OpenRow[], targets: readonly Target[]): FittedRow[] {
  const lines = new Map(rows.map(row => [row.id, totalsOf(row.lines)]))
  const fallen = new Set<string>()
  const toCome = rows.filter(({ isToCome = true }) => isToCome)
  const components = new Map(targets.map(target => [target.componentType, target]))
  for (const row of rows)
    for (const { componentType } of row.lines)
      if (!components.has(componentType))
        components.set(componentType, { componentType, amountPaise: ZERO, hasFeeFallen: true })
  for (const { componentType, amountPaise, hasFeeFallen } of components.values()) {
    const amountOf = (row: OpenRow): Paise => lines.get(row.id)?.get(componentType) ?? ZERO
    const planned = sumPaise(rows.map(amountOf))
    const isLess = amountPaise < planned
    if (hasFeeFallen && isLess) fallen.add(componentType)
    const taking = isLess || toCome.length === 0 ? rows : toCome
    const amounts = taking.map(amountOf)
    const fitted = isLess
      ? takeOff(amounts, paiseOf(planned - amountPaise))
      : spread(amounts, paiseOf(amountPaise - planned))
    for (const [index, row] of taking.entries()) lines.get(row.id)?.set(componentType, fitted[index] ?? ZERO)
  }
  return rows.flatMap(row => {
    const after = linesFrom(lines.get(row.id) ?? new Map())
    if (sameLines(row.lines, after)) return []
    const isWaived = row.lines.every(line => line.amountPaise === 0 || fallen.has(line.componentType))
    const becomes = after.length > 0 ? 'open' : isWaived ? 'waived' : 'covered'
    return [{ id: row.id, lines: after, becomes }]
  })
}

function takeOff(amounts: readonly Paise[], excess: Paise): Paise[] {
  let left = excess
  return amounts.map(amount => {
    const taken = minPaise(amount, left)
    left = subtractPaise(left, taken)
    return subtractPaise(amount, taken)
  })
}

function spread(amounts: readonly Paise[], more: Paise): Paise[] {
  if (more === 0 || amounts.length === 0) return [...amounts]
  const shares = amounts.some(amount => amount > 0)
    ? splitInProportion(more, amounts)
    : splitEqually(more, amounts.length)
  return amounts.map((amount, index) => paiseOf(amount + (shares[index] ?? ZERO)))
}

export function totalsOf(lines: readonly Line[]): Map<string, Paise> {
  const totals = new Map<string, Paise>()
  for (const { componentType, amountPaise } of lines)
    totals.set(componentType, paiseOf((totals.get(componentType) ?? ZERO) + amountPaise))
  return totals
}

export function sumLines(lines: readonly Line[]): Paise {
  return sumPaise(lines.map(line => line.amountPaise))
}

function linesFrom(totals: ReadonlyMap<string, Paise>): Line[] {
  return [...totals]
    .filter(([, amountPaise]) => amountPaise > 0)
    .map(([componentType, amountPaise]) => ({ componentType, amountPaise }))
}

function sameLines(before: readonly Line[], after: readonly Line[]): boolean {
  const totals = totalsOf(before)
  return (
    after.length === linesFrom(totals).length &&
    after.every(line => totals.get(line.componentType) === line.amountPaise)
  )
}
