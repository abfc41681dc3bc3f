import type { FlexContext } from '../../flex/context.ts'
import { readPlans } from '../../flex/plans/plan-reads.service.ts'
import { debitContextOf, type DebitRules } from '../../flex/rules/debit.rules.ts'
import type { Instalment, LoadedPlan, Mandate } from '../../flex/rules/plan.rules.ts'
import { minutesBefore, presentationOn, type FlexRules, type Rail } from '../../flex/rules/rails.rules.ts'
import { readDebitRules } from '../../flex/settings/settings.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { dayOf, addWorkingDays, isWorkingDay } from '../../platform/calendar.ts'
import { sumPaise, type Paise } from '../../platform/money.ts'
import { comingOf, type Coming } from './coming.rules.ts'
import * as days from './days.store.ts'
import type { Debit } from './debits.store.ts'
import { nextStepText, OBSTACLE_TEXTS, planObstacle, returnTexts, type ReturnTexts } from './flex.texts.ts'
import {
  daysOf,
  monthOf,
  rangeOf,
  returnsRange,
  spanOf,
  type DayRange,
  type DebitStatus,
} from './flex.rules.ts'

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
  instalment: Instalment
  mandate: Mandate | null
  reason: ReturnTexts | null
  why: string | null
  next: string
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

const EXPLAINED: readonly DebitStatus[] = ['skipped', 'covered', 'waived', 'due']

function showDebit(debit: Debit, loaded: LoadedPlan | undefined, debitRules: DebitRules): ShownDebit[] {
  const instalment = loaded?.instalments.find(({ id }) => id === debit.instalmentId)
  if (loaded === undefined || instalment === undefined) return []
  const { status, presentedAt, returnCode } = debit
  return [
    {
      ...debit,
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
    ...countDebits(sums),
    returnedPaise: sumPaise(groups.map(({ amountPaise }) => amountPaise)),
    groups,
  }
}

/** How many debits banks have decided, and how many of them they returned. */
export function countDebits(sums: readonly days.ReturnSum[]): { decided: number; returned: number } {
  return sums.reduce(
    (total, { debits, bounces }) => ({ decided: total.decided + debits, returned: total.returned + bounces }),
    { decided: 0, returned: 0 },
  )
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
