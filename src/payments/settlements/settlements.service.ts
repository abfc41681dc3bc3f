import * as store from './settlements.store.ts'
import { settlementOf } from '../../ledger/ledger.rules.ts'
import { post } from '../../ledger/ledger.service.ts'
import { lockOrders, markSettled, readSettled } from '../../orders/order-payments.service.ts'
import { dayOf, DAY_MS, dayAfter, startOfDay, isWorkingDay } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { newId } from '../../platform/ids.ts'
import { ZERO } from '../../platform/money.ts'
import { atProvider, type Payment } from '../payments.rules.ts'
import { applyReport } from '../payments.service.ts'
import type { Account } from '../../providers/accounts/registry.service.ts'
import { type SettlementItem, type SettlementReport, returnIdOf } from '../../providers/port.ts'
import { applyDispute } from '../disputes/disputes.service.ts'
import { listLost } from '../disputes/disputes.store.ts'
import { listAtProvider, listParts, firstSettleDay } from '../payments.store.ts'
import { sendAgain } from '../refunds/refunds.service.ts'
import { findCredited } from '../credits/credits.service.ts'
import { catchUpReturns } from '../refunds/returns.service.ts'
import { takeOverRefund } from '../refunds/made-refunds.service.ts'
import { judge, matchLost, paidOutTwice, sumItems, divideItem } from './settlements.rules.ts'
import type { PaidOrder, PaymentHandler, PaymentContext } from '../context.ts'
import { addAll } from '../../platform/lists.ts'
import { returnedBy } from '../refunds/refunds.rules.ts'
import type { Context } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { forEachSettled } from '../../platform/concurrency.ts'
import { lockSetting, readSetting, writeSetting } from '../../platform/db/instance-settings.ts'
import { readHolidays } from '../holidays.service.ts'
import { listReadThrough, setReadThrough } from './settlements.store.ts'
import { readKnown, type KnownItems } from './known-items.service.ts'
import { listLinkedIds } from '../../providers/settlement-accounts/settlement-accounts.service.ts'
import { settleLines, settleParts, settleRefundParts } from '../parts/parts.store.ts'

export type SettlementSummary = { settled: number; exceptions: number }

/** Reads what a provider paid out on a day and applies it; reading a day again changes nothing. */
export async function settleDay(
  ctx: PaymentContext,
  account: Account,
  day: string,
  onProgress?: (settled: number) => void,
): Promise<SettlementSummary> {
  const summary = { settled: 0, exceptions: 0 }
  const linkedIds = account.port.splits === undefined ? [] : await listLinkedIds(ctx.db, account)
  for await (const report of account.port.settlements(day, linkedIds)) {
    for (const part of await attribute(ctx, account, report)) {
      const { settled, exceptions } = await applyPayOut(ctx, account, part)
      summary.settled += settled
      summary.exceptions += exceptions
      onProgress?.(summary.settled)
    }
  }
  return summary
}

/** Reads the pay-outs again in which money stood that was nobody's until now; they are read the day after at the latest. */
export async function settleAgain(
  ctx: PaymentContext,
  payment: Pick<Payment, 'instituteId' | 'accountId' | 'providerRef'>,
): Promise<void> {
  const noticed = await store.listNoticed(ctx.db, payment)
  const days = new Set(noticed.flatMap(at => [dayOf(new Date(at.getTime() - DAY_MS)), dayOf(at)]))
  if (days.size === 0) return
  const account = await ctx.accounts.accountOf(payment)
  for (const day of days) await settleDay(ctx, account, day)
}

async function applyPayOut(
  ctx: PaymentContext,
  account: Account,
  report: SettlementReport,
): Promise<SettlementSummary> {
  // An institute's own account pays out what is its own. Money that says otherwise is not ours to assign.
  if (account.instituteId !== null && account.instituteId !== report.instituteId)
    return recordForeign(ctx, account, report)
  const divided = await divideGroups(ctx, report)
  await catchUp(ctx, account, divided)
  const named = await nameUnasked(ctx, account, await nameLost(ctx, account, divided))
  return applySettlement(ctx, account, named)
}

/** Names the booked loss of each dispute that a pay-out deducts; the provider is asked about one that we have not heard of. */
async function nameLost(
  ctx: PaymentContext,
  account: Account,
  report: SettlementReport,
): Promise<SettlementReport> {
  const { instituteId, utr } = report
  const at = { instituteId, accountId: account.id }
  const items: SettlementItem[] = []
  for (const item of report.items) {
    const paymentId = item.dispute?.paymentId ?? ''
    if (paymentId === '') {
      items.push(item)
      continue
    }
    const find = async () => matchLost(item, await listLost(ctx.db, at, paymentId), utr)
    const known = await find()
    if (known === null) await askForDisputes(ctx, account, { instituteId, paymentId })
    addAll(items, known ?? (await find()) ?? [item])
  }
  return { ...report, items }
}

async function askForDisputes(
  ctx: PaymentContext,
  account: Account,
  { instituteId, paymentId }: { instituteId: number; paymentId: string },
): Promise<void> {
  const [payment] = await listAtProvider(ctx.db, instituteId, paymentId)
  if (payment === undefined || payment.accountId !== account.id) return
  const asked = { ...atProvider(payment), transactionId: payment.transactionId }
  for (const dispute of (await account.port.disputes?.(asked)) ?? [])
    await applyDispute(ctx, account, dispute)
}

/** Takes over refunds that somebody made in the provider's dashboard, where no callback has told us of them. */
async function nameUnasked(
  ctx: PaymentContext,
  account: Account,
  report: SettlementReport,
): Promise<SettlementReport> {
  const { instituteId, settledAt: at } = report
  const items: SettlementItem[] = []
  for (const item of report.items) {
    const { unasked, amountPaise } = item
    const made =
      unasked === undefined
        ? []
        : await takeOverRefund(ctx, account, {
            about: 'unasked_refund',
            instituteId,
            ...unasked,
            amountPaise,
            utr: null,
            at,
          })
    if (made.length === 0) items.push(item)
    // Each child has its part of a payment for several; what the payment cost stands with the first.
    for (const [index, { id: ourId, amountPaise: part }] of made.entries())
      items.push({ ...item, ourId, amountPaise: part, feePaise: index === 0 ? item.feePaise : ZERO })
  }
  return { ...report, items }
}

async function recordForeign(
  ctx: PaymentContext,
  account: Account,
  { items, utr }: SettlementReport,
): Promise<SettlementSummary> {
  const about = aboutOf(account, account.instituteId ?? 0, { utr, noticedAt: ctx.clock.now() })
  await store.insertExceptions(
    ctx.db,
    items.map(({ kind, providerRef, amountPaise: reportedPaise }) => ({
      ...about,
      providerRef,
      problem: `${kind} unknown here`,
      reportedPaise,
      knownPaise: null,
    })),
  )
  return { settled: 0, exceptions: items.length }
}

function aboutOf<More>({ id, provider }: Account, instituteId: number, more: More) {
  return { ...more, instituteId, provider, accountId: id }
}

/** Asks the provider about payments and refunds of a pay-out that are not finished here, before its report is judged. */
async function catchUp(
  ctx: PaymentContext,
  { id: accountId, port }: Account,
  { instituteId, items }: SettlementReport,
): Promise<void> {
  const at = { instituteId, accountId }
  const ids = (kind: SettlementItem['kind']) =>
    items.filter(item => item.kind === kind).map(item => item.ourId)
  for (const payment of await store.listUncaptured(ctx.db, at, ids('payment')))
    await applyReport(ctx, await port.status(atProvider({ ...payment, instituteId })))
  await sendAgain(ctx, at, ids('refund'))
  await catchUpReturns(ctx, at, ids('refund'))
}

/** The present day in India, for callers that settle as they go. */
export function today(ctx: PaymentContext): string {
  return dayOf(ctx.clock.now())
}

async function applySettlement(
  ctx: PaymentContext,
  account: Account,
  report: SettlementReport,
): Promise<SettlementSummary> {
  const { instituteId, utr, settledAt } = report
  return ctx.db.transaction(async tx => {
    // Orders first, as everywhere: their events must not overtake each other.
    const paymentIds = report.items.filter(item => item.kind === 'payment').map(item => item.ourId)
    await lockOrders(tx, instituteId, await store.listOrderIds(tx, instituteId, paymentIds))
    const known = await readKnown(tx, report)
    const matched: SettlementItem[] = []
    const exceptions: store.Exception[] = []
    const about = aboutOf(account, instituteId, { utr, noticedAt: ctx.clock.now() })
    const named = new Set<string>()
    for (const item of report.items) {
      const judged = judge(item, known.of(item), { accountId: account.id, utr })
      const isTwice = judged.kind === 'matched' && named.has(item.ourId)
      const verdict = isTwice ? paidOutTwice(item, item.amountPaise) : judged
      if (verdict.kind === 'matched') {
        named.add(item.ourId)
        matched.push(verdict.item)
      }
      if (verdict.kind === 'exception') {
        const { problem, knownPaise } = verdict
        const { providerRef, amountPaise: reportedPaise } = item
        exceptions.push({ ...about, providerRef, problem, reportedPaise, knownPaise })
      }
    }
    const refs = matched.map(item => item.providerRef)
    if (refs.length > 0) await store.clearExceptions(tx, { instituteId, accountId: account.id, utr }, refs)
    await store.insertExceptions(tx, exceptions)
    // An account may serve several branches; each has its own books, and its own part of what was transferred.
    for (const [collectorCode, ofBranch] of Map.groupBy(matched, item => known.branchOf(item))) {
      const batch = { account, report, collectorCode, matched: ofBranch, known, settledAt }
      await settle(ctx, tx, batch)
    }
    return { settled: matched.length, exceptions: exceptions.length }
  })
}

async function settle(
  ctx: PaymentContext,
  tx: Transaction,
  batch: {
    account: Account
    report: SettlementReport
    collectorCode: string
    matched: readonly SettlementItem[]
    known: KnownItems
    settledAt: Date
  },
): Promise<void> {
  const { account, report, collectorCode, matched, known, settledAt } = batch
  const { instituteId, utr, linkedId = null } = report
  const sums = sumItems(matched)
  const id = await store.growSettlement(tx, {
    ...sums,
    instituteId,
    id: newId('stl'),
    provider: account.provider,
    accountId: account.id,
    collectorCode,
    utr,
    settledAt,
    bankAccountId: known.bankAccountId,
  })
  const { whole, parts } = Object.groupBy(matched, item => (known.isSplit(item) ? 'parts' : 'whole'))
  const settled = idsOf(whole ?? [], 'payment')
  const refunds = (whole ?? []).filter(item => item.kind === 'refund')
  await store.setSettlement(tx, instituteId, id, { payments: settled, refunds })
  const completed = await settleSplit(tx, { instituteId, settlementId: id, linkedId }, parts ?? [])
  await settleLines(tx, instituteId, idsOf(parts ?? [], 'payment'), { linkedId, utr, settledAt })
  // A slice of a large settlement is posted by itself; its first item tells it from the others.
  const isNothing = sums.grossPaise === sums.refundPaise && sums.feePaise === 0
  if (!isNothing)
    await post(tx, instituteId, settlementOf(`${id}:${matched[0]?.providerRef ?? ''}`, sums), settledAt)
  await tellSettled(ctx, tx, batch, { whole: settled, completed })
}

function idsOf(items: readonly SettlementItem[], kind: SettlementItem['kind']): string[] {
  return items.filter(item => item.kind === kind).map(item => item.ourId)
}

/** Answers the payments of which no part is missing any more. */
async function settleSplit(
  tx: Transaction,
  settled: { instituteId: number; settlementId: string; linkedId: string | null },
  items: readonly SettlementItem[],
): Promise<string[]> {
  if (items.length === 0) return []
  const refunds = items.filter(item => item.kind === 'refund')
  if (refunds.length > 0) await settleRefundParts(tx, settled, refunds)
  const payments = idsOf(items, 'payment')
  return payments.length === 0 ? [] : settleParts(tx, settled, payments)
}

async function tellSettled(
  ctx: PaymentContext,
  tx: Transaction,
  {
    report: { instituteId, utr },
    known: { payments },
    settledAt,
  }: { report: SettlementReport; known: KnownItems; settledAt: Date },
  { whole, completed }: { whole: readonly string[]; completed: readonly string[] },
): Promise<void> {
  const payingOf = (ids: readonly string[]): Payment[] =>
    ids.flatMap(id => payments.get(id) ?? []).filter(payment => !payment.isDuplicate)
  const ordersOf = (ids: readonly string[]): string[] => payingOf(ids).map(payment => payment.orderId)
  // The lines of the others have the settlement of their part.
  const orders = await markSettled(tx, instituteId, ordersOf(whole), { utr, settledAt })
  addAll(orders, await readSettled(tx, instituteId, ordersOf(completed)))
  const paying = payingOf([...whole, ...completed])
  const byId = new Map(orders.map(order => [order.id, order]))
  const byHandler = new Map<PaymentHandler, PaidOrder[]>()
  for (const payment of paying) {
    const order = byId.get(payment.orderId)
    // One that was taken back before it was paid out never reached the institute.
    if (order === undefined || order.state === 'reversed') continue
    const handler = ctx.paymentHandlers[order.kind]
    const paid = byHandler.get(handler)
    if (paid === undefined) byHandler.set(handler, [{ payment, order }])
    else paid.push({ payment, order })
  }
  for (const [handler, paid] of byHandler) await handler.settled(tx, paid, settledAt)
}

/**
 * Some providers do not keep our ids of debits in their pay-outs: such an item is known by the transaction id that the
 * provider gave when the debit was paid. A transfer to a student's account number never had an id of ours there. What is
 * known moves to its institute; the rest stays where it was.
 */
async function attribute(
  ctx: PaymentContext,
  account: Account,
  report: SettlementReport,
): Promise<SettlementReport[]> {
  const { db } = ctx
  const credits = await findCredited(ctx, account, report)
  const numbers = report.items.flatMap(({ transactionId = null }) => transactionId ?? [])
  const debits: Awaited<ReturnType<typeof store.findDebits>> =
    numbers.length === 0 ? new Map() : await store.findDebits(db, account, numbers)
  const ownOf = (item: SettlementItem) =>
    debits.get(item.transactionId ?? '') ?? (item.ourId === '' ? credits.get(item.providerRef) : undefined)
  const groups = new Map<number, SettlementItem[]>()
  for (const item of report.items) {
    const own = ownOf(item)
    // The rupee that registers a mandate goes back to the payer and is not in our books.
    if (own === undefined && item.isRegistration === true) continue
    const instituteId = own?.instituteId ?? report.instituteId
    const group = groups.get(instituteId) ?? []
    group.push(own === undefined ? item : named(item, own.id))
    groups.set(instituteId, group)
  }
  const { utr } = report
  const { instituteId } = report
  // What stands with its own institute is cleared when it is settled: until then a person may have to decide about it.
  const isCleared = (item: SettlementItem): boolean =>
    debits.has(item.transactionId ?? '') || (ownOf(item)?.instituteId ?? instituteId) !== instituteId
  const refs = report.items.filter(isCleared).map(({ providerRef }) => providerRef)
  // It may have been read before the money was known here.
  if (refs.length > 0) await store.clearExceptions(db, { instituteId, accountId: account.id, utr }, refs)
  return [...groups].map(([owner, items]) => ({ ...report, instituteId: owner, items }))
}

/** Money that goes out for a debit, and neither for a refund of ours nor for a dispute, is the debit taken back. */
function named(item: SettlementItem, paymentId: string): SettlementItem {
  if (item.dispute !== undefined) return { ...item, dispute: { ...item.dispute, paymentId } }
  return { ...item, ourId: item.kind === 'payment' ? paymentId : returnIdOf(paymentId) }
}

/**
 * A provider pays out one payment where we have several that it was for, a child's each: its item becomes one for each of
 * them, so that whatever follows knows nothing of it.
 */
async function divideGroups(
  { db }: Pick<PaymentContext, 'db'>,
  report: SettlementReport,
): Promise<SettlementReport> {
  const ids = report.items.map(item => (item.kind === 'payment' ? item.ourId : returnedBy(item.ourId)))
  const known = await listParts(db, report.instituteId, ids, report.linkedId ?? null)
  const parts = Map.groupBy(known, part => part.groupId)
  if (parts.size === 0) return report
  return {
    ...report,
    items: report.items.flatMap((item, index) => divideItem(item, parts.get(ids[index] ?? '') ?? [])),
  }
}

export type { UnmatchedReport } from './settlements.store.ts'

/** What providers reported that belongs to no institute: the operator looks at it, because no institute's page shows it. */
export async function listUnmatchedReports({ db }: Pick<Context, 'db'>): Promise<store.UnmatchedReport[]> {
  return store.listUnmatched(db)
}

export async function countUnmatchedReports(ctx: Pick<Context, 'db'>): Promise<number> {
  return (await listUnmatchedReports(ctx)).length
}

/** The installation's own accounts belong to none. */
const NO_INSTITUTE = 0

/**
 * A person has looked at a report that did not match: a sale outside Bursar, an adjustment of the provider. It stays as it
 * was reported and is a difference no more. Should the item match after all, it is settled as ever.
 */
export async function resolveReport(
  ctx: Pick<Context, 'db' | 'clock'>,
  command: Command<{ id: string }>,
  { instituteId = NO_INSTITUTE, id, by }: { instituteId?: number; id: string; by: string },
  note: string,
): Promise<{ id: string }> {
  return transact(ctx.db, command, async tx => {
    const resolved = { at: ctx.clock.now(), by, note }
    // A number that is not one names nothing.
    if (!/^\d{1,15}$/.test(id) || !(await store.resolveException(tx, { instituteId, id }, resolved)))
      throw notFound('This report')
    return { id }
  })
}

const EVERY_MS = 60 * 60 * 1_000

/**
 * Reads what every account paid out, once an hour. Providers report a day late at times, so yesterday is read again;
 * what is known already changes nothing. The sandbox's bank pays out first, on working days what came in before.
 */
export async function settleDue(
  ctx: PaymentContext,
  bank: { payOut(before: Date): Promise<number> } | null,
): Promise<number> {
  const now = ctx.clock.now()
  if (!(await takeTurn(ctx, now))) return 0
  const today = dayOf(now)
  if (bank !== null && isWorkingDay(today, await readHolidays(ctx.db))) await bank.payOut(startOfDay(today))
  return readPayOuts(ctx)
}

/** Reads at once what every account paid out; answers how many payments and refunds are settled by it. */
export async function readPayOuts(ctx: PaymentContext): Promise<number> {
  const now = ctx.clock.now()
  const today = dayOf(now)
  const readThrough = await listReadThrough(ctx.db)
  let settled = 0
  const read = async (account: Account): Promise<void> => {
    const first = firstDayToRead(readThrough.get(account.id) ?? null, now)
    for (let day = first; day <= today; day = dayAfter(day))
      settled += (await settleDay(ctx, account, day)).settled
    await setReadThrough(ctx.db, account, today)
  }
  // An account that cannot be read keeps nothing from the others; its days are read again at the next turn. Several at a
  // time, so that those whose provider does not answer do not take up the turn.
  const accounts = (await ctx.accounts.all()).values()
  const reader = (): Promise<void> => forEachSettled(accounts, read)
  const readers = await Promise.allSettled(Array.from({ length: READ_AT_ONCE }, reader))
  const failed = readers.find(result => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return settled
}

const READ_AT_ONCE = 4
const LONGEST_GAP_DAYS = 60

/** The day before the last one that was read whole: after an outage the days it took are read too. */
function firstDayToRead(through: string | null, now: Date): string {
  const daysAgo = (days: number): string => dayOf(new Date(now.getTime() - days * DAY_MS))
  if (through === null) return daysAgo(1)
  const dayBefore = Temporal.PlainDate.from(through).subtract({ days: 1 }).toString()
  const earliest = daysAgo(LONGEST_GAP_DAYS)
  return dayBefore > earliest ? dayBefore : earliest
}

export async function nextSettlementRun(ctx: PaymentContext): Promise<Date> {
  const last = await readSetting(ctx.db, 'settlements_read_at')
  return last === null ? ctx.clock.now() : new Date(Number(last) + EVERY_MS)
}

const PAYS_OUT_AT_MS = 10 * EVERY_MS

/** When the payments that wait longest should reach their institutes: the morning of the day they are due. */
export async function nextSettlementDue(ctx: PaymentContext): Promise<Date | null> {
  const day = await firstSettleDay(ctx.db)
  if (day === null) return null
  const at = new Date(startOfDay(day).getTime() + PAYS_OUT_AT_MS)
  // Overdue ones are not waited for: they go with the next run.
  return at > ctx.clock.now() ? at : null
}

/** One process reads in an hour, the first that comes. */
async function takeTurn(ctx: PaymentContext, now: Date): Promise<boolean> {
  return ctx.db.transaction(async tx => {
    await lockSetting(tx, 'settlements_read_at')
    const last = await readSetting(tx, 'settlements_read_at')
    const sinceMs = now.getTime() - Number(last ?? -Infinity)
    // A turn in the future was written under a clock that was wrong: nobody waits for it.
    if (sinceMs >= 0 && sinceMs < EVERY_MS) return false
    await writeSetting(tx, 'settlements_read_at', String(now.getTime()))
    return true
  })
}
