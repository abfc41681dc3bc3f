import type { Institute } from '../../institutes/institutes.rules.ts'
import { allocate } from '../../dues/allocation.rules.ts'
import { LATE_FEE } from '../../dues/dues.rules.ts'
import { getDues } from '../../dues/dues.service.ts'
import { dayAfter, dayOf, startOfDay } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { badField, conflict } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { minPaise, subtractPaise, sumPaise, type Paise } from '../../platform/money.ts'
import { countCash, type Counted } from '../../banking/deposits/denominations.rules.ts'
import * as store from './counter.store.ts'

export type { BookRow, Closing } from './counter.store.ts'

type Line = { componentType: string; amountPaise: Paise }
export type Spread = { lines: Line[]; excessPaise: Paise }

/** How an amount is spread by the institute's rule: late fees first; what is more than due is the excess. */
export async function spreadAmount(
  ctx: Context,
  { institute, studentId }: { institute: Institute; studentId: string },
  amountPaise: Paise,
): Promise<Spread> {
  const dues = await getDues(ctx, { instituteId: institute.id, studentId })
  const due = minPaise(amountPaise, dues.totalPaise)
  const { lines, lateFees } = allocate(due, dues, dues.allocation)
  const late = sumPaise(lateFees.map(fee => fee.amountPaise))
  const all = late > 0 ? [{ componentType: LATE_FEE, amountPaise: late }, ...lines] : [...lines]
  const byType = Map.groupBy(all, line => line.componentType)
  return {
    lines: [...byType].map(([componentType, own]) => ({
      componentType,
      amountPaise: sumPaise(own.map(line => line.amountPaise)),
    })),
    excessPaise: subtractPaise(amountPaise, due),
  }
}

export type CounterDay = { day: string; rows: store.BookRow[]; closings: store.Closing[] }

const MOST_ROWS = 2_000

export async function readDay(
  { db, clock }: Context,
  institute: Institute,
  asked: string | undefined,
): Promise<CounterDay> {
  const day = asked ?? dayOf(clock.now())
  const [rows, closings] = await Promise.all([
    store.listBook(db, institute.id, rangeOf(day), MOST_ROWS),
    store.listClosings(db, institute.id, day),
  ])
  return { day, rows, closings }
}

/** The cash of a cashier's day is counted once; what was taken is written down beside it as it stood then. */
export async function closeDay(
  { db, clock }: Context,
  command: Command<store.Closing>,
  closed: { day: string; cashier: string; denominations: Counted[]; note: string | null; closedBy: string },
): Promise<store.Closing> {
  const { day, cashier, denominations, note, closedBy } = closed
  const closedAt = clock.now()
  if (day > dayOf(closedAt)) throw badField('day', 'must not be after today')
  return transact(db, command, async tx => {
    const expectedPaise = await store.sumCash(tx, command.instituteId, { ...rangeOf(day), cashier })
    const countedPaise = countCash(denominations)
    const closing = { cashier, expectedPaise, countedPaise, denominations, note, closedBy, closedAt }
    if (expectedPaise !== countedPaise && note === null)
      throw badField('note', 'is needed: what was counted differs from what was taken')
    if (!(await store.insertClosing(tx, command.instituteId, day, closing)))
      throw conflict('This day is closed already.')
    return closing
  })
}

function rangeOf(day: string): { from: Date; before: Date } {
  return { from: startOfDay(day), before: startOfDay(dayAfter(day)) }
}
