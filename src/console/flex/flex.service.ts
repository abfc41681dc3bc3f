import { chargeTerms } from '../../flex/rules/charge.rules.ts'
import type { ConsoleContext } from '../context.ts'
import { readPlans, readPlan } from '../../flex/plans/plans.service.ts'
import { debitContextOf, type DebitRules } from '../../flex/rules/debit.rules.ts'
import type { Instalment, LoadedPlan, Mandate } from '../../flex/rules/plan.rules.ts'
import { minutesBefore, presentationOn, type FlexRules, type Rail } from '../../flex/rules/rails.rules.ts'
import { readDebitRules } from '../../flex/settings/settings.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { dayOf, addWorkingDays, isWorkingDay, DAY_MS } from '../../platform/calendar.ts'
import { sumPaise, type Paise } from '../../platform/money.ts'
import { comingOf, type ComingDebits } from './coming.rules.ts'
import * as days from './debits.store.ts'
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
  statusOf,
} from './flex.rules.ts'
import { withAttempts } from '../../flex/plans/plan.schemas.ts'
import { assert } from '../../platform/assert.ts'
import type { PlanDetail } from './plan.schemas.ts'
import * as store from './plans.store.ts'
import type { Context } from '../../platform/context.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { settingsFor } from '../../erp/settings/settings.rules.ts'
import { listErpSettings } from '../../erp/settings/settings.service.ts'

type StatusSum = { status: DebitStatus; count: number; amountPaise: Paise }
type CalendarDay = { day: string; isWorkingDay: boolean; sums: StatusSum[] }
export type Calendar = { month: string; today: string; days: CalendarDay[] }

/** A month, day by day; days without anything are there as well. */
export async function readCalendar(
  flex: ConsoleContext,
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
  flex: ConsoleContext,
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
  flex: ConsoleContext,
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

export type ComingRun = ComingDebits & { now: Date; today: string; through: string }

const WORKING_DAYS_AHEAD = 5

/** What will be asked, announced and presented in the next working days, and what stands in the way. */
export async function readComing(flex: ConsoleContext, institute: Institute): Promise<ComingRun> {
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

const NEWEST = 200

/** A plan with everything that was tried, decided, told and done. */
export async function readPlanDetail(
  flex: ConsoleContext,
  institute: Institute,
  planId: string,
): Promise<PlanDetail> {
  const [loaded, student, entries, debitRules] = await Promise.all([
    readPlan(flex, institute, planId),
    store.readPlanStudent(flex.db, institute.id, planId),
    store.readTimeline(flex.db, institute.id, planId, NEWEST),
    readDebitRules(flex),
  ])
  assert(student !== null, 'a plan has a student')
  const planned = withAttempts(loaded).map(one => {
    const presentedAt = one.attempts.at(-1)?.presentedAt ?? null
    const context = debitContextOf(loaded, one, debitRules)
    return { ...one, plan: loaded.plan, next: nextTextOf(loaded, one, { context, presentedAt }) }
  })
  const terms = chargeTerms(loaded, debitRules)
  return { ...loaded, student, obstacle: planObstacle(loaded.plan), chargeTerms: terms, planned, entries }
}

function nextTextOf(
  { plan }: LoadedPlan,
  instalment: Instalment,
  known: Pick<Parameters<typeof nextStepText>[0], 'context' | 'presentedAt'>,
): string {
  if (instalment.isDownpayment && instalment.state === 'scheduled')
    return 'The family pays it online when it sets the plan up.'
  if (plan.state === 'draft') return 'Nothing happens before the family has set the plan up.'
  if (instalment.stoppedAt !== null && instalment.state === 'due')
    return 'The family has stopped its debit. It pays another way, or you call the charge off.'
  const status = statusOf(instalment, plan)
  // The page says once why the plan waits.
  if (status === 'stopped') return 'Waits until the plan goes on.'
  return status === 'cancelled' ? 'Nothing is debited: it was cancelled.' : nextStepText({ status, ...known })
}

export type BranchHealth = {
  collectorCode: string
  name: string
  /** Where it is asked; null when nobody is. */
  host: string | null
  found: number
  refused: number
  unavailable: number
  lastAt: Date | null
  /** What went wrong, the most frequent first. */
  problems: days.FetchSum[]
}

/** How the ERP of each branch answered in the last 24 hours of real time, which ids are made in. */
export async function readErpHealth(ctx: Context, institute: Institute): Promise<BranchHealth[]> {
  const [settings, sums] = await Promise.all([
    listErpSettings(ctx, institute),
    days.sumFetches(ctx.db, institute.id, firstIdAt('fetch', new Date(Date.now() - DAY_MS))),
  ])
  return institute.branches.map(({ collectorCode, name }) => {
    const own = sums.filter(sum => sum.collectorCode === collectorCode)
    const countOf = (outcome: days.FetchOutcome): number =>
      own.filter(sum => sum.outcome === outcome).reduce((total, { count }) => total + count, 0)
    const url = settingsFor(settings, collectorCode)?.url
    return {
      collectorCode,
      name,
      host: url === undefined ? null : (URL.parse(url)?.host ?? null),
      found: countOf('found'),
      refused: countOf('refused'),
      unavailable: countOf('unavailable'),
      lastAt: own.reduce<Date | null>(
        (last, { lastAt }) => (last === null || lastAt > last ? lastAt : last),
        null,
      ),
      problems: own.filter(({ outcome }) => outcome !== 'found'),
    }
  })
}
