import type { Institute } from '../../institutes/institutes.rules.ts'
import { spreadOver } from '../../dues/counter.rules.ts'
import { withoutTaken } from '../../dues/dues.rules.ts'
import { readDuesOn } from '../../dues/dues.service.ts'
import { listOnTheWay } from '../../payments/student-payments.service.ts'
import { dayAfter, dayOf, formatDay, startOfDay } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { formatRupees, sumPaise, type Paise } from '../../platform/money.ts'
import { countCash, type DenominationCount } from '../../banking/deposits/denominations.rules.ts'
import { cashOfDrawer } from './counter.rules.ts'
import * as store from './counter.store.ts'

export type { BookRow, Closing, DrawerEntry } from './counter.store.ts'

type Line = { componentType: string; amountPaise: Paise }
export type SpreadPayment = {
  lines: Line[]
  /** The late fees as they stood on the day of the payment. */
  lateFeePaise: Paise
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
  { amountPaise, paidOn = dayOf(ctx.clock.now()) }: { amountPaise: Paise; paidOn?: string | undefined },
): Promise<SpreadPayment> {
  const onTheWay = await listOnTheWay(ctx.db, institute.id, [studentId])
  const key = { instituteId: institute.id, studentId }
  const owed = (await readDuesOn(ctx.db, [key], paidOn)).get(studentId)
  if (owed === undefined) throw notFound('This student')
  const dues = withoutTaken(owed, onTheWay)
  return {
    ...spreadOver(amountPaise, dues),
    lateFeePaise: dues.lateFeePaise,
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
  cash: DrawerCash[]
}

/** What one cashier has in the drawer by the books, and what of it no closing has counted. */
export type DrawerCash = { cashier: string; inDrawerPaise: Paise; openPaise: Paise }

/** A day at one counter has some hundred payments; more would not be read on a page. */
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
  const seen = { rows, drawer: drawer.filter(isSeen), closings: closings.filter(isSeen) }
  return { day, ...seen, cash: cashByDrawer(seen) }
}

function cashByDrawer({
  rows,
  drawer,
  closings,
}: Pick<CounterDay, 'rows' | 'drawer' | 'closings'>): DrawerCash[] {
  const cashiers = new Set([...rows, ...drawer, ...closings].map(one => one.cashier))
  return [...cashiers].toSorted().map(cashier => {
    const isOwn = (one: { cashier: string }): boolean => one.cashier === cashier
    const cash = rows.filter(row => isOwn(row) && !row.isCancelled && row.mode.toLowerCase() === 'cash')
    const takenPaise = sumPaise(cash.map(row => row.amountPaise))
    const entries = drawer.filter(isOwn)
    return { cashier, ...cashOfDrawer({ takenPaise, entries, closings: closings.filter(isOwn) }) }
  })
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
    const { openPaise: expectedPaise, closings } = await holdDrawer(tx, command.instituteId, day, cashier)
    if (closings.length > 0 && expectedPaise <= 0) throw conflict(CLOSED)
    const countedPaise = countCash(denominations)
    const closing = { cashier, expectedPaise, countedPaise, denominations, note, closedBy, closedAt }
    if (expectedPaise !== countedPaise && note === null)
      throw badField('note', 'is needed: what was counted differs from what was taken')
    const place = { day, closingNo: closings.length + 1 }
    if (!(await store.insertClosing(tx, command.instituteId, place, closing))) throw conflict(CLOSED)
    return closing
  })
}

/** Nobody else counts the cash of this drawer or hands it over until the commit. */
async function holdDrawer(
  tx: Transaction,
  instituteId: number,
  day: string,
  cashier: string,
): Promise<ReturnType<typeof cashOfDrawer> & { closings: store.Closing[] }> {
  await store.lockDrawer(tx, instituteId, cashier)
  const isOwn = (one: { cashier: string }): boolean => one.cashier === cashier
  const takenPaise = await store.sumCash(tx, instituteId, { ...rangeOf(day), cashier })
  const entries = (await store.listDrawer(tx, instituteId, day)).filter(isOwn)
  const closings = (await store.listClosings(tx, instituteId, day)).filter(isOwn)
  return { ...cashOfDrawer({ takenPaise, entries, closings }), closings }
}

/**
 * Today's change, or cash that a cashier gives on, also that of an earlier day which has stayed in the drawer; nobody gives
 * on more than is in it.
 */
export async function recordDrawerEntry(
  { db, clock }: Context,
  command: Command<store.DrawerEntry>,
  {
    day: asked,
    ...sent
  }: Pick<store.DrawerEntry, 'cashier' | 'kind' | 'amountPaise' | 'note'> & { day: string | null },
): Promise<store.DrawerEntry> {
  const { instituteId } = command
  const recordedAt = clock.now()
  const today = dayOf(recordedAt)
  const day = asked ?? today
  if (day > today) throw badField('day', 'must not be after today')
  if (sent.kind === 'float' && day !== today) throw badField('day', 'must be today where change is put in')
  return transact(db, command, async tx => {
    const { inDrawerPaise } = await holdDrawer(tx, instituteId, day, sent.cashier)
    if (sent.kind === 'hand_over' && sent.amountPaise > inDrawerPaise)
      throw badField(
        'amount',
        `must be at most the ${formatRupees(inDrawerPaise)} that the cash book of ${formatDay(day)} has in this drawer; cash of an earlier day is handed over on the page of that day`,
      )
    const entry = { ...sent, id: newId('drawer'), recordedAt }
    await store.insertDrawerEntry(tx, instituteId, day, entry)
    return entry
  })
}

const CLOSED = 'This day is closed already.'

function rangeOf(day: string): { from: Date; before: Date } {
  return { from: startOfDay(day), before: startOfDay(dayAfter(day)) }
}
