import { settlementOf } from '../../ledger/ledger.rules.ts'
import { post } from '../../ledger/ledger.service.ts'
import { lockOrders, markSettled } from '../../orders/order-payments.service.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { newId } from '../../platform/ids.ts'
import { ZERO } from '../../platform/money.ts'
import { atProvider, type Payment } from '../payments.rules.ts'
import { applyReport } from '../payments.service.ts'
import type { Account } from '../../providers/accounts/registry.service.ts'
import { type SettlementItem, type SettlementReport, returnIdOf } from '../../providers/port.ts'
import { applyDispute } from '../disputes/disputes.service.ts'
import { listLost } from '../disputes/disputes.store.ts'
import { listAtProvider, listParts } from '../payments.store.ts'
import { sendAgain } from '../refunds/refunds.service.ts'
import { catchUpReturns } from '../refunds/returns.service.ts'
import { takeOverRefund } from '../refunds/made-refunds.service.ts'
import { judge, matchLost, paidOutTwice, sumItems, divideItem } from './settlements.rules.ts'
import * as store from './settlements.store.ts'
import type { PaidOrder, PaymentHandler, PaymentContext } from '../context.ts'
import { addAll } from '../../platform/lists.ts'
import { returnedBy } from '../refunds/refunds.rules.ts'
import type { Context } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'

export type SettlementSummary = { settled: number; exceptions: number }

/** Reads what a provider paid out on a day and applies it; reading a day again changes nothing. */
export async function settleDay(
  ctx: PaymentContext,
  account: Account,
  day: string,
  onProgress?: (settled: number) => void,
): Promise<SettlementSummary> {
  const summary = { settled: 0, exceptions: 0 }
  for await (const report of account.port.settlements(day)) {
    for (const part of await attribute(ctx, account, report)) {
      const { settled, exceptions } = await applyPayOut(ctx, account, part)
      summary.settled += settled
      summary.exceptions += exceptions
      onProgress?.(summary.settled)
    }
  }
  return summary
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
      const batch = { account, report, collectorCode, matched: ofBranch, payments: known.payments, settledAt }
      await settle(ctx, tx, batch)
    }
    return { settled: matched.length, exceptions: exceptions.length }
  })
}

type KnownItems = {
  payments: Map<string, Payment>
  of(item: SettlementItem): ReturnType<typeof toKnown>
  branchOf(item: SettlementItem): string
}

async function readKnown(tx: Transaction, { instituteId, items }: SettlementReport): Promise<KnownItems> {
  const ids = (kind: SettlementItem['kind']) =>
    items.filter(item => item.kind === kind).map(item => item.ourId)
  const payments = await store.lockPayments(tx, instituteId, ids('payment'))
  const refunds = await store.lockRefunds(tx, instituteId, ids('refund'))
  const find = (item: SettlementItem) =>
    item.kind === 'payment' ? payments.get(item.ourId) : refunds.get(item.ourId)
  return {
    payments,
    of: item => toKnown(find(item)),
    branchOf: item => find(item)?.collectorCode ?? '',
  }
}

function toKnown(found: store.SettleablePayment | store.SettleableRefund | undefined) {
  if (found === undefined) return undefined
  const isDone = found.state === 'captured' || found.state === 'processed'
  const { amountPaise, accountId, settledUtr } = found
  return { amountPaise, accountId, isDone, settledUtr }
}

async function settle(
  ctx: PaymentContext,
  tx: Transaction,
  batch: {
    account: Account
    report: SettlementReport
    collectorCode: string
    matched: readonly SettlementItem[]
    payments: ReadonlyMap<string, Payment>
    settledAt: Date
  },
): Promise<void> {
  const { account, report, collectorCode, matched, settledAt } = batch
  const { instituteId, utr } = report
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
  })
  const ids = (kind: SettlementItem['kind']) =>
    matched.filter(item => item.kind === kind).map(item => item.ourId)
  const refunds = matched.filter(item => item.kind === 'refund')
  await store.setSettlement(tx, instituteId, id, { payments: ids('payment'), refunds })
  // A slice of a large settlement is posted by itself; its first item tells it from the others.
  const isNothing = sums.grossPaise === sums.refundPaise && sums.feePaise === 0
  if (!isNothing)
    await post(tx, instituteId, settlementOf(`${id}:${matched[0]?.providerRef ?? ''}`, sums), settledAt)
  await tellSettled(ctx, tx, batch, ids('payment'))
}

async function tellSettled(
  ctx: PaymentContext,
  tx: Transaction,
  {
    report,
    payments,
    settledAt,
  }: { report: SettlementReport; payments: ReadonlyMap<string, Payment>; settledAt: Date },
  paymentIds: readonly string[],
): Promise<void> {
  const paying = paymentIds.flatMap(id => payments.get(id) ?? []).filter(payment => !payment.isDuplicate)
  const orders = await markSettled(
    tx,
    report.instituteId,
    paying.map(payment => payment.orderId),
    { utr: report.utr, settledAt },
  )
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
 * provider gave when the debit was paid. What is known moves to its institute; the rest stays where it was.
 */
async function attribute(
  { db }: Pick<PaymentContext, 'db'>,
  account: Account,
  report: SettlementReport,
): Promise<SettlementReport[]> {
  const numbers = report.items.flatMap(({ transactionId = null }) => transactionId ?? [])
  const debits: Awaited<ReturnType<typeof store.findDebits>> =
    numbers.length === 0 ? new Map() : await store.findDebits(db, account, numbers)
  const groups = new Map<number, SettlementItem[]>()
  for (const item of report.items) {
    const debit = debits.get(item.transactionId ?? '')
    // The rupee that registers a mandate goes back to the payer and is not in our books.
    if (debit === undefined && item.isRegistration === true) continue
    const instituteId = debit?.instituteId ?? report.instituteId
    const group = groups.get(instituteId) ?? []
    group.push(debit === undefined ? item : named(item, debit.id))
    groups.set(instituteId, group)
  }
  const { utr } = report
  const found = report.items.filter(item => debits.has(item.transactionId ?? ''))
  const refs = found.map(({ providerRef }) => providerRef)
  const { instituteId } = report
  // It may have been read before the debit was known to be paid.
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
  const parts = Map.groupBy(await listParts(db, report.instituteId, ids), part => part.groupId)
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
