import type { FlexContext } from '../../flex/context.ts'
import { readPlans } from '../../flex/plans/plan-reads.service.ts'
import { debitContextOf, type DebitRules } from '../../flex/rules/debit.rules.ts'
import type { Instalment, LoadedPlan, Mandate } from '../../flex/rules/plan.rules.ts'
import { minutesBefore, presentationOn, type FlexRules, type Rail } from '../../flex/rules/rails.rules.ts'
import { readDebitRules } from '../../flex/settings/settings.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { dayOf, addWorkingDays, isWorkingDay } from '../../platform/calendar.ts'
import type { Page } from '../../platform/db/list.ts'
import { sumPaise, type Paise } from '../../platform/money.ts'
import { readableComponent } from '../../platform/names.ts'
import type { Report } from '../reports/export.service.ts'
import { count, day, moment, money, text, type Column } from '../reports/reports.rules.ts'
import { comingOf, type Coming } from './coming.rules.ts'
import * as days from './days.store.ts'
import { debitsQuery, listDebits, type Debit, type DebitFilter } from './debits.store.ts'
import { nextStepText, OBSTACLE_TEXTS, planObstacle, returnTexts, type ReturnTexts } from './flex.texts.ts'
import {
  daysOf,
  isPresentation,
  monthOf,
  rangeOf,
  readCursor,
  returnsRange,
  spanOf,
  statusesOf,
  type AskedStatus,
  type DayRange,
  type DebitStatus,
} from './flex.rules.ts'

export { DEBIT_SORTING } from './debits.store.ts'

type StatusSum = { status: DebitStatus; count: number; amountPaise: Paise }
type CalendarDay = { day: string; isWorkingDay: boolean; sums: StatusSum[] }
export type Calendar = { month: string; today: string; days: CalendarDay[] }

/** A month, day by day; days without anything are there as well. */
export async function readCalendar(
  flex: FlexContext,
  institute: Institute,
  asked: string | undefined,
): Promise<Calendar> {
  const { now, holidays } = await readDebitRules(flex)
  const today = dayOf(now)
  const month = monthOf(asked ?? today)
  const range = rangeOf(month, month)
  const sums = await days.sumDebits(flex.db, institute.id, spanOf(range))
  const byDay = Map.groupBy(sums, ({ day }) => day)
  return {
    month: range.from.slice(0, 7),
    today,
    days: daysOf(range).map(day => ({
      day,
      isWorkingDay: isWorkingDay(day, holidays),
      sums: (byDay.get(day) ?? []).map(({ status, count, amountPaise }) => ({ status, count, amountPaise })),
    })),
  }
}

export type ShownDebit = Debit & {
  id: string
  instalment: Instalment
  mandate: Mandate | null
  reason: ReturnTexts | null
  why: string | null
  next: string
}

type DebitSearch = {
  from?: string | undefined
  to?: string | undefined
  status?: AskedStatus | undefined
  returnCode?: string | undefined
  collectorCode?: string | undefined
  cursor?: string | undefined
}

/** The debits of some days, today unless days are named. */
export async function listDebitsOf(
  flex: FlexContext,
  institute: Institute,
  asked: DebitSearch,
  limit: number,
): Promise<Page<ShownDebit>> {
  const today = dayOf(flex.clock.now())
  const span = spanOf(rangeOf(asked, { from: today, to: today }))
  const { rows, nextCursor } = await listDebits(flex.db, institute.id, {
    span,
    filter: filterOf(asked),
    limit,
  })
  return { rows: await showDebits(flex, institute, rows), nextCursor }
}

/** Adds the plan that each debit is part of, and what happens next. */
export async function showDebits(
  flex: FlexContext,
  institute: Institute,
  rows: readonly Debit[],
): Promise<ShownDebit[]> {
  const debitRules = await readDebitRules(flex)
  const keys = rows.map(({ planId }) => ({ instituteId: institute.id, planId }))
  const plans = await readPlans(flex, keys)
  return rows.flatMap(row => showDebit(row, plans.get(row.planId), debitRules))
}

const COLUMNS: readonly Column<Debit>[] = [
  day('Day', row => row.day),
  text('Student', row => row.student.fullname),
  text('Admission no.', row => row.student.identifier),
  text('Grade', row => row.student.grade),
  money('Amount', row => row.amountPaise),
  text('Status', row => readableComponent(row.status.toUpperCase())),
  text('Return code', row => row.returnCode),
  text('Why it came back', row => (row.returnCode === null ? null : returnTexts(row.returnCode).message)),
  count('Try', row => row.presentation),
  moment('Presented (IST)', row => row.presentedAt),
  text('Branch', row => row.collectorCode),
  text('Plan', row => row.planId),
]

export function debitsReport(flex: FlexContext, institute: Institute, asked: DebitSearch): Report<Debit> {
  const today = dayOf(flex.clock.now())
  const span = spanOf(rangeOf(asked, { from: today, to: today }))
  const query = debitsQuery(institute.id, { span, filter: filterOf(asked) })
  return { name: 'debits', title: 'Debits', query, columns: COLUMNS }
}

function filterOf({ status, returnCode, collectorCode, cursor: sent }: DebitSearch): DebitFilter {
  const cursor = sent === undefined ? undefined : readCursor(sent)
  const statuses = status === undefined ? undefined : statusesOf(status)
  return {
    statuses,
    returnCode,
    collectorCode,
    cursor,
    parts: {
      instalments:
        cursor?.part !== 'presentations' &&
        returnCode === undefined &&
        (statuses === undefined || !statuses.every(isPresentation)),
      presentations: statuses === undefined || statuses.some(isPresentation),
    },
  }
}

const EXPLAINED: readonly DebitStatus[] = ['skipped', 'covered', 'waived', 'due']

function showDebit(debit: Debit, loaded: LoadedPlan | undefined, debitRules: DebitRules): ShownDebit[] {
  const instalment = loaded?.instalments.find(({ id }) => id === debit.instalmentId)
  if (loaded === undefined || instalment === undefined) return []
  const { status, presentedAt, returnCode } = debit
  return [
    {
      ...debit,
      id: `${instalment.id}.${debit.presentation}`,
      instalment,
      mandate: loaded.mandate,
      reason: returnCode === null ? null : returnTexts(returnCode),
      why: whyOf(debit, loaded),
      next: nextStepText({ status, presentedAt, context: debitContextOf(loaded, instalment, debitRules) }),
    },
  ]
}

function whyOf({ status, decided }: Debit, { plan }: LoadedPlan): string | null {
  const obstacle = status === 'stopped' ? planObstacle(plan) : null
  if (obstacle !== null) return OBSTACLE_TEXTS[obstacle].title
  return EXPLAINED.includes(status) ? decided : null
}

export type Returns = {
  range: DayRange
  decided: number
  returned: number
  returnedPaise: Paise
  groups: (days.ReturnSum & ReturnTexts)[]
}

/** What came back, by the banks' codes; the last 30 days unless others are named. */
export async function readReturns(
  flex: FlexContext,
  institute: Institute,
  asked: { from?: string | undefined; to?: string | undefined },
): Promise<Returns> {
  const today = dayOf(flex.clock.now())
  const range = rangeOf(asked, returnsRange(today))
  const sums = await days.sumReturns(flex.db, institute.id, spanOf(range))
  const groups = sums.flatMap(sum =>
    sum.state === 'debited'
      ? []
      : [{ ...sum, ...returnTexts(sum.returnCode ?? 'unknown', sum.state === 'reversed') }],
  )
  return {
    range,
    decided: countOf(sums),
    returned: countOf(groups),
    returnedPaise: sumPaise(groups.map(({ amountPaise }) => amountPaise)),
    groups,
  }
}

function countOf(sums: readonly days.ReturnSum[]): number {
  return sums.reduce((total, { count }) => total + count, 0)
}

export type ComingRun = Coming & { now: Date; today: string; through: string }

const WORKING_DAYS_AHEAD = 5

/** What will be asked, announced and presented in the next working days, and what stands in the way. */
export async function readComing(flex: FlexContext, institute: Institute): Promise<ComingRun> {
  const { now, holidays, rules } = await readDebitRules(flex)
  const today = dayOf(now)
  const through = addWorkingDays(today, WORKING_DAYS_AHEAD, holidays)
  const limits = Object.fromEntries(
    Object.entries(rules.rails).map(([name, { limitPaise }]) => [name, limitPaise]),
  )
  const sums = await days.sumComing(flex.db, institute.id, { today, through, limits })
  const coming = comingOf(sums, {
    days: daysOf({ from: today, to: through }),
    isWorkingDay: day => isWorkingDay(day, holidays),
    momentsOf: (day, rail) => momentsOf(day, rail, rules),
  })
  return { ...coming, now, today, through }
}

/** Says from when the ERP is asked, by when the family is told, and when the debit is presented. */
function momentsOf(day: string, rail: Rail, rules: FlexRules) {
  const presentedAt = presentationOn(day, rules.rails[rail])
  return {
    askedFrom: minutesBefore(presentedAt, rules.fetchFromMinutes),
    toldBy: minutesBefore(presentedAt, rules.noticeMinutes),
    presentedAt,
  }
}
