import { countToBank } from '../../banking/post-dated/post-dated.service.ts'
import { countToSettle } from '../../leaving/leaving.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { DisputesToAnswer } from '../../payments/disputes/disputes.rules.ts'
import { sumDisputesToAnswer } from '../../payments/disputes/disputes.service.ts'
import { DAY_MS, dayOf, startOfDay, addDays } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { firstIdAt } from '../../platform/ids.ts'
import type { Paise } from '../../platform/money.ts'
import { sumDebits, sumReturns } from '../flex/debits.store.ts'
import { countDebits } from '../flex/flex.service.ts'
import { aheadRange, COMING, returnsRange, spanOf } from '../flex/flex.rules.ts'
import { countWaiting } from '../approvals/approvals.store.ts'
import { sumCashTaken } from '../counter/counter.store.ts'
import { countUnconfirmed } from '../loans/loans.store.ts'
import {
  addUp,
  everyDay,
  firstOfMonth,
  firstOfYear,
  sumFrom,
  weeksAhead,
  yearBefore,
  yearSums,
  type Collected,
  type DaySum,
  type FirstSteps,
  type Sum,
  type WeekAhead,
  type YearSums,
} from './home.rules.ts'
import * as store from './home.store.ts'

export type Home = {
  today: string
  collectedToday: Collected
  collectedThisMonth: Collected
  outstanding: store.Outstanding
  /** Debits of the next days. */
  coming: Sum
  returns: { decided: number; returned: number; returnedPaise: Paise }
  settlements: store.SettlementSums
  health: store.Health
  /** Transfers of lenders that nobody has looked for yet. */
  transfersToConfirm: number
  /** Requests for approval that wait. */
  approvalsWaiting: number
  /** Post-dated cheques whose day has come. */
  chequesToBank: number
  /** Students who left with money open, and whom nobody has settled. */
  leaversToSettle: number
  disputesToAnswer: DisputesToAnswer
  daily: DaySum[]
  year: YearSums
  /** What came in today, by the way of payment. */
  waysToday: store.WaySum[]
  /** Cash in the cash book of today: what the counter wrote down today, on whatever day it was paid, and nothing of the ERP's. */
  cashBookTodayPaise: Paise
  dueByWeek: WeekAhead[]
  /** What came in during the same weeks of the year before. */
  lastInWeeksPaise: Paise
  /** Null once money has come in. */
  firstSteps: FirstSteps | null
}

const CHART_DAYS = 30
const WEEKS_AHEAD = 4

/** What came in, what is still due, what went wrong, what happens next: a statement each, side by side. */
export async function readHome({ db, clock }: Context, institute: Institute): Promise<Home> {
  const { id } = institute
  const now = clock.now()
  const today = dayOf(now)
  const day = { from: startOfDay(today), before: startOfDay(addDays(today, 1)) }
  const month = firstOfMonth(today)
  const chartFrom = addDays(today, 1 - CHART_DAYS)
  const countedFrom = yearBefore(firstOfYear(today))
  const [
    sums,
    outstanding,
    debits,
    decided,
    settlements,
    health,
    transfersToConfirm,
    approvalsWaiting,
    chequesToBank,
    leaversToSettle,
    disputesToAnswer,
    waysToday,
    cashBookTodayPaise,
    due,
    firstSteps,
  ] = await Promise.all([
    store.sumDays(db, id, countedFrom),
    store.sumOutstanding(db, id, today),
    sumDebits(db, id, spanOf({ from: today, to: addDays(today, WEEKS_AHEAD * 7 - 1) })),
    sumReturns(db, id, spanOf(returnsRange(today))),
    store.sumSettlements(db, id, { today, monthStart: startOfDay(month) }),
    // Ids are made in real time, whatever the sandbox's clock says.
    store.readHealth(db, id, firstIdAt('fetch', new Date(Date.now() - DAY_MS))),
    countUnconfirmed(db, id),
    countWaiting(db, id),
    countToBank({ db, clock }, id),
    countToSettle({ db }, id),
    sumDisputesToAnswer({ db }, id),
    store.sumWays(db, id, day),
    sumCashTaken(db, id, day),
    store.sumDueByWeek(db, id, today, WEEKS_AHEAD),
    store.readFirstSteps(db, id),
  ])
  const ahead = debits.filter(({ status }) => COMING.includes(status))
  const soon = aheadRange(today)
  const lastFrom = yearBefore(today)
  return {
    today,
    collectedToday: sumFrom(sums, today, today),
    collectedThisMonth: sumFrom(sums, month, today),
    outstanding,
    coming: addUp(ahead.filter(({ day }) => day <= soon.to)),
    returns: {
      ...countDebits(decided),
      returnedPaise: addUp(decided.filter(({ state }) => state !== 'debited')).amountPaise,
    },
    settlements,
    health,
    transfersToConfirm,
    approvalsWaiting,
    chequesToBank,
    leaversToSettle,
    disputesToAnswer,
    daily: everyDay(sums, chartFrom, today),
    year: yearSums(sums, today),
    waysToday,
    cashBookTodayPaise,
    dueByWeek: weeksAhead(due, ahead, { today, weeks: WEEKS_AHEAD }),
    lastInWeeksPaise: sumFrom(sums, lastFrom, addDays(lastFrom, WEEKS_AHEAD * 7 - 1)).amountPaise,
    firstSteps: sums.length === 0 ? firstSteps : null,
  }
}
