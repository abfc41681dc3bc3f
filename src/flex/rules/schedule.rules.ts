import type { FieldProblem } from '../../platform/errors.ts'
import { paiseOf, subtractPaise, ZERO, type Paise } from '../../platform/money.ts'
import { newId } from '../../platform/ids.ts'
import { linesFrom, sumLines, totalsOf, type Line, type Instalment } from './plan.rules.ts'

export type ScheduleRow = {
  dueOn: string
  isDownpayment: boolean
  referenceId: string | null
  identifier: string | null
  lines: Line[]
} & Partial<Pick<Instalment, 'isCharge' | 'chargeReason'>>

export type DefaultPlan = {
  instalments: number
  dayOfMonth: number
  downpaymentPercent: number
  /** Other numbers of instalments that a parent may choose. */
  offered: readonly number[]
}

/** What an institute sets; parents know the plan by its product's name. */
export type FlexSettings = DefaultPlan & {
  productName: string
  /** Fees that may be charged singly on a mandate, if the payer agrees to it. */
  chargeComponents: readonly string[]
}

export const STANDARD_PLAN: DefaultPlan = {
  instalments: 10,
  dayOfMonth: 5,
  downpaymentPercent: 0,
  offered: [],
}

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
  const row = (
    dueOn: string,
    isDownpayment: boolean,
    amounts: readonly (Paise | undefined)[],
  ): ScheduleRow => ({
    dueOn,
    isDownpayment,
    referenceId: null,
    identifier: null,
    lines: linesFrom(owed.map(({ componentType }, index) => [componentType, amounts[index] ?? ZERO])),
  })
  const rows = dueDays(firstFrom, plan).map((dueOn, n) =>
    row(
      dueOn,
      false,
      parts.map(amounts => amounts[n]),
    ),
  )
  return [row(today, true, down), ...rows].filter(({ lines }) => lines.length > 0)
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

/** Academic years of two calendar years end in March, as the financial year does; those of one with it. */
function lastDayOf({ academicYearStart: start, academicYearEnd: end }: AcademicYear): string {
  return `${end}-${end > start ? '03-31' : '12-31'}`
}

export type AcademicYear = { academicYearStart: number; academicYearEnd: number }

/**
 * The numbers of instalments that a parent may choose from: those that the institute offers and that end inside the
 * academic year. None where it offers no other than its own.
 */
export function offeredLengths(plan: DefaultPlan, year: AcademicYear, firstFrom: string): number[] {
  if (plan.offered.length === 0) return []
  const all = [...new Set([plan.instalments, ...plan.offered])].toSorted((one, other) => one - other)
  const lastOf = (instalments: number): string => dueDays(firstFrom, { ...plan, instalments }).at(-1) ?? ''
  return all.filter(instalments => lastOf(instalments) <= lastDayOf(year))
}

/** The institute's own, or the longest of those offered if its own would end after the academic year. */
export function lengthOf(plan: DefaultPlan, year: AcademicYear, firstFrom: string): number {
  const offered = offeredLengths(plan, year, firstFrom)
  return offered.includes(plan.instalments) ? plan.instalments : (offered.at(-1) ?? plan.instalments)
}

/**
 * The same for a plan that a family asks for itself, where an institute that offers no other lengths means at most its own:
 * as many months as are left of the academic year. After it, its own.
 */
export function lengthForFamily(plan: DefaultPlan, year: AcademicYear, firstFrom: string): number {
  if (plan.offered.length > 0) return lengthOf(plan, year, firstFrom)
  const inYear = dueDays(firstFrom, plan).filter(day => day <= lastDayOf(year)).length
  return inYear === 0 ? plan.instalments : inYear
}

const MOST_ROWS = 60
const MOST_YEARS_AHEAD = 10

/** What is wrong with the form of a schedule: its days, and rows that take nothing. */
export function formProblems(
  rows: readonly ScheduleRow[],
  { today, path, isFromErp = false }: { today: string; path: string; isFromErp?: boolean },
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
    // Rows of an ERP on one day are debited on days that follow each other, as after set-up.
    if (days.has(row.dueOn) && !isFromErp)
      problems.push({ key, message: 'stands twice; one instalment a day' })
    days.add(row.dueOn)
  }
  if (rows.filter(row => row.isDownpayment).length > 1)
    problems.push({ key: path, message: 'has more than one down payment' })
  if (days.size === 0) problems.push({ key: path, message: 'needs an instalment beside the down payment' })
  return problems
}

/** Leaves out rows of the ERP's schedule that lie in the past or ask for nothing. */
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

/** One that nothing has happened to yet. */
export function newInstalment(
  key: Pick<Instalment, 'instituteId' | 'planId' | 'number'>,
  { dueOn, isDownpayment, referenceId, identifier, lines, isCharge, chargeReason }: ScheduleRow,
  { presentOn = dueOn, nextStepAt = null }: { presentOn?: string; nextStepAt?: Date | null } = {},
): Instalment {
  return {
    ...key,
    id: newId('inst'),
    state: 'scheduled',
    isDownpayment,
    dueOn,
    presentOn,
    referenceId,
    identifier,
    lines: lines.filter(({ amountPaise }) => amountPaise > 0),
    planned: lines.filter(({ amountPaise }) => amountPaise > 0),
    attempt: 0,
    bankReturns: 0,
    firstBankReturnAt: null,
    notifiedAt: null,
    announcedRef: null,
    announcedFor: null,
    presentedOn: null,
    returnCode: null,
    fetchTries: 0,
    orderId: null,
    nextStepAt,
    refundedPaise: ZERO,
    isCharge: isCharge ?? false,
    chargeReason: chargeReason ?? null,
    stoppedAt: null,
    settlementId: null,
    settlementUtr: null,
  }
}
