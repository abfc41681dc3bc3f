import type { Institute } from '../../institutes/institutes.rules.ts'
import { spreadOver } from '../../dues/counter.rules.ts'
import { withoutTaken } from '../../dues/dues.rules.ts'
import { getDues } from '../../dues/dues.service.ts'
import { listOnTheWay } from '../../payments/student-payments.service.ts'
import { dayAfter, dayOf, startOfDay } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, conflict } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { formatRupees, paiseOf, sumPaise, type Paise } from '../../platform/money.ts'
import { countCash, type DenominationCount } from '../../banking/deposits/denominations.rules.ts'
import * as store from './counter.store.ts'

export type { BookRow, Closing, DrawerEntry } from './counter.store.ts'

type Line = { componentType: string; amountPaise: Paise }
export type Spread = {
  lines: Line[]
  /** More than can be taken for fees now. */
  excessPaise: Paise
  /** What can be taken: all that is due less what is on the way. */
  leftPaise: Paise
  onTheWayPaise: Paise
  /** The day by which all that is on the way is expected to have come or failed. */
  onTheWayUntil: string | null
}

/**
 * How an amount is spread by the institute's rule, late fees first. What is on the way is not taken a second time: the
 * amount is spread over the rest, and what is more than that is the excess.
 */
export async function spreadAmount(
  ctx: Context,
  { institute, studentId }: { institute: Institute; studentId: string },
  amountPaise: Paise,
): Promise<Spread> {
  const onTheWay = await listOnTheWay(ctx.db, institute.id, [studentId])
  const dues = withoutTaken(await getDues(ctx, { instituteId: institute.id, studentId }), onTheWay)
  return {
    ...spreadOver(amountPaise, dues),
    leftPaise: dues.totalPaise,
    onTheWayPaise: sumPaise(onTheWay.map(one => one.amountPaise)),
    onTheWayUntil:
      onTheWay
        .map(one => one.until)
        .toSorted()
        .at(-1) ?? null,
  }
}

export type CounterDay = {
  day: string
  rows: store.BookRow[]
  drawer: store.DrawerEntry[]
  closings: store.Closing[]
}

const MOST_ROWS = 2_000

/** Reads the day of one cashier; of all of them if `cashier` is null. */
export async function readDay(
  { db, clock }: Context,
  institute: Institute,
  asked: string | undefined,
  cashier: string | null,
): Promise<CounterDay> {
  const day = asked ?? dayOf(clock.now())
  const [rows, drawer, closings] = await Promise.all([
    store.listBook(db, institute.id, { ...rangeOf(day), cashier }, MOST_ROWS),
    store.listDrawer(db, institute.id, day),
    store.listClosings(db, institute.id, day),
  ])
  const isSeen = (one: { cashier: string }): boolean => cashier === null || one.cashier === cashier
  return { day, rows, drawer: drawer.filter(isSeen), closings: closings.filter(isSeen) }
}

/**
 * A cashier's cash is counted once, and what was taken less what was paid out is written down beside it as it stood then.
 * Cash that moves after the close is counted by another closing.
 */
export async function closeDay(
  { db, clock }: Context,
  command: Command<store.Closing>,
  closed: {
    day: string
    cashier: string
    denominations: DenominationCount[]
    note: string | null
    closedBy: string
  },
): Promise<store.Closing> {
  const { day, cashier, denominations, note, closedBy } = closed
  const closedAt = clock.now()
  if (day > dayOf(closedAt)) throw badField('day', 'must not be after today')
  return transact(db, command, async tx => {
    const inDrawer = await cashInDrawer(tx, command.instituteId, day, cashier)
    const all = await store.listClosings(tx, command.instituteId, day)
    const earlier = all.filter(one => one.cashier === cashier)
    const expectedPaise = paiseOf(inDrawer - earlier.reduce((sum, one) => sum + one.expectedPaise, 0))
    if (earlier.length > 0 && expectedPaise <= 0) throw conflict(CLOSED)
    const countedPaise = countCash(denominations)
    const closing = { cashier, expectedPaise, countedPaise, denominations, note, closedBy, closedAt }
    if (expectedPaise !== countedPaise && note === null)
      throw badField('note', 'is needed: what was counted differs from what was taken')
    const place = { day, closingNo: earlier.length + 1 }
    if (!(await store.insertClosing(tx, command.instituteId, place, closing))) throw conflict(CLOSED)
    return closing
  })
}

/**
 * Sums the cash that the books expect in a drawer: its change and what was taken, less what was paid out and handed over.
 * Nobody else counts it or hands it over until the commit.
 */
async function cashInDrawer(
  tx: Transaction,
  instituteId: number,
  day: string,
  cashier: string,
): Promise<Paise> {
  await store.lockDrawer(tx, instituteId, cashier)
  const taken = await store.sumCash(tx, instituteId, { ...rangeOf(day), cashier })
  const entries = (await store.listDrawer(tx, instituteId, day)).filter(one => one.cashier === cashier)
  return paiseOf(taken + entries.reduce((sum, one) => sum + signed(one), 0))
}

function signed({ kind, amountPaise }: Pick<store.DrawerEntry, 'kind' | 'amountPaise'>): number {
  return kind === 'float' ? amountPaise : 0 - amountPaise
}

/** Today's change, or cash that a cashier gives on; nobody gives on more than is in the drawer. */
export async function recordDrawerEntry(
  { db, clock }: Context,
  command: Command<store.DrawerEntry>,
  sent: Pick<store.DrawerEntry, 'cashier' | 'kind' | 'amountPaise' | 'note'>,
): Promise<store.DrawerEntry> {
  const { instituteId } = command
  const recordedAt = clock.now()
  const day = dayOf(recordedAt)
  return transact(db, command, async tx => {
    const there = await cashInDrawer(tx, instituteId, day, sent.cashier)
    if (sent.kind === 'hand_over' && sent.amountPaise > there)
      throw conflict(`${formatRupees(there)} is in this drawer by the cash book; more cannot be handed over.`)
    const entry = { ...sent, id: newId('drawer'), recordedAt }
    await store.insertDrawerEntry(tx, instituteId, day, entry)
    return entry
  })
}

const CLOSED = 'This day is closed already.'

function rangeOf(day: string): { from: Date; before: Date } {
  return { from: startOfDay(day), before: startOfDay(dayAfter(day)) }
}
