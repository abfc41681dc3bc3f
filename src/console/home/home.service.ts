import type { Institute } from '../../institutes/institutes.rules.ts'
import { dayOf, startOfDay } from '../../platform/calendar.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Context } from '../../platform/context.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { sumDebits, sumReturns } from '../flex/days.store.ts'
import { aheadRange, COMING, returnsRange, spanOf } from '../flex/flex.rules.ts'
import {
  addDays,
  addUp,
  everyDay,
  firstOfMonth,
  sumFrom,
  type Collected,
  type DaySum,
  type Sum,
} from './home.rules.ts'
import * as store from './home.store.ts'

export type Home = {
  today: string
  collectedToday: Collected
  collectedThisMonth: Collected
  outstanding: store.Outstanding
  /** Debits of the next days. */
  coming: Sum
  returns: { decided: number; returned: Sum }
  settlements: store.SettlementSums
  health: store.Health
  daily: DaySum[]
}

const CHART_DAYS = 30
const DAY_MS = 86_400_000

/** What came in, what is still due, what went wrong, what happens next: six statements, side by side. */
export async function readHome({ db, clock }: Context, institute: Institute): Promise<Home> {
  const { id } = institute
  const now = clock.now()
  const today = dayOf(now)
  const month = firstOfMonth(today)
  const chartFrom = addDays(today, 1 - CHART_DAYS)
  const countedFrom = month < chartFrom ? month : chartFrom
  const [sums, outstanding, ahead, decided, settlements, health] = await Promise.all([
    store.sumDays(db, id, startOfDay(countedFrom)),
    outstandingOf(db, id),
    sumDebits(db, id, spanOf(aheadRange(today))),
    sumReturns(db, id, spanOf(returnsRange(today))),
    store.sumSettlements(db, id, { today, monthStart: startOfDay(month) }),
    // Ids are made in real time, whatever the sandbox's clock says.
    store.readHealth(db, id, firstIdAt('fetch', new Date(Date.now() - DAY_MS))),
  ])
  return {
    today,
    collectedToday: sumFrom(sums, today, today),
    collectedThisMonth: sumFrom(sums, month, today),
    outstanding,
    coming: addUp(ahead.filter(({ status }) => COMING.includes(status))),
    returns: {
      decided: addUp(decided).count,
      returned: addUp(decided.filter(({ state }) => state !== 'debited')),
    },
    settlements,
    health,
    daily: everyDay(sums, chartFrom, today),
  }
}

type Remembered = { sum: store.Outstanding; until: number }

const SLOW_MS = 500
const REMEMBERED_MS = 30_000
const MOST_REMEMBERED = 1_000
const remembered = new WeakMap<Database, Map<number, Remembered>>()

/** It reads every fee of the institute: one that took long is good for a while, or many open pages would ask all the time. */
async function outstandingOf(db: Database, instituteId: number): Promise<store.Outstanding> {
  const known = remembered.get(db) ?? new Map<number, Remembered>()
  remembered.set(db, known)
  const startedAt = performance.now()
  const last = known.get(instituteId)
  if (last !== undefined && last.until > startedAt) return last.sum
  const sum = await store.sumOutstanding(db, instituteId)
  known.delete(instituteId)
  const endedAt = performance.now()
  if (endedAt - startedAt >= SLOW_MS && known.size < MOST_REMEMBERED)
    known.set(instituteId, { sum, until: endedAt + REMEMBERED_MS })
  return sum
}
