import { settlementOf } from '../../ledger/ledger.rules.ts'
import { post } from '../../ledger/ledger.service.ts'
import { lockOrders, markSettled } from '../../orders/order-payments.service.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { newId } from '../../platform/ids.ts'
import type { Payment } from '../payments.rules.ts'
import { applyReport } from '../payments.service.ts'
import type { ProviderName, SettlementItem, SettlementReport } from '../../providers/port.ts'
import { sendAgain } from '../refunds/refunds.service.ts'
import { catchUpReturns } from '../refunds/returns.service.ts'
import { judge, sumItems } from './settlements.rules.ts'
import * as store from './settlements.store.ts'
import type { PaidOrder, PaymentHandler } from '../payment-handler.ts'
import { providerOf, type PaymentContext } from '../context.ts'

export type SettlementSummary = { settled: number; exceptions: number }

/** Reads what a provider paid out on a day and applies it; reading a day again changes nothing. */
export async function settleDay(
  ctx: PaymentContext,
  name: ProviderName,
  day: string,
  onProgress?: (settled: number) => void,
): Promise<SettlementSummary> {
  const summary = { settled: 0, exceptions: 0 }
  for await (const report of providerOf(ctx, name).settlements(day)) {
    await catchUp(ctx, name, report)
    const { settled, exceptions } = await applySettlement(ctx, name, report)
    summary.settled += settled
    summary.exceptions += exceptions
    onProgress?.(summary.settled)
  }
  return summary
}

/** What was paid out has happened: if we have not heard of it yet, the provider is asked before its report is judged. */
async function catchUp(
  ctx: PaymentContext,
  name: ProviderName,
  { instituteId, items }: SettlementReport,
): Promise<void> {
  const provider = providerOf(ctx, name)
  const ids = (kind: SettlementItem['kind']) =>
    items.filter(item => item.kind === kind).map(item => item.ourId)
  for (const { id, providerRef } of await store.listUncaptured(ctx.db, instituteId, ids('payment')))
    await applyReport(ctx, await provider.status({ instituteId, paymentId: id, providerRef }))
  await sendAgain(ctx, instituteId, ids('refund'))
  await catchUpReturns(ctx, name, instituteId, ids('refund'))
}

/** The present day in India, for callers that settle as they go. */
export function today(ctx: PaymentContext): string {
  return dayOf(ctx.clock.now())
}

async function applySettlement(
  ctx: PaymentContext,
  provider: ProviderName,
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
    const about = { instituteId, provider, utr, noticedAt: ctx.clock.now() }
    for (const item of report.items) {
      const verdict = judge(item, known.of(item))
      if (verdict.kind === 'matched') matched.push(item)
      if (verdict.kind === 'exception') {
        const { problem, knownPaise } = verdict
        const { providerRef, amountPaise: reportedPaise } = item
        exceptions.push({ ...about, providerRef, problem, reportedPaise, knownPaise })
      }
    }
    await store.insertExceptions(tx, exceptions)
    const [first] = matched
    if (first !== undefined) {
      const refs = matched.map(item => item.providerRef)
      await store.clearExceptions(tx, { instituteId, provider, utr }, refs)
      const collectorCode = known.branchOf(first)
      await settle(ctx, tx, {
        provider,
        report,
        collectorCode,
        matched,
        payments: known.payments,
        settledAt,
      })
    }
    return { settled: matched.length, exceptions: exceptions.length }
  })
}

type Known = {
  payments: Map<string, Payment>
  of(item: SettlementItem): ReturnType<typeof toKnown>
  branchOf(item: SettlementItem): string
}

async function readKnown(tx: Transaction, { instituteId, items }: SettlementReport): Promise<Known> {
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

function toKnown(found: Payment | store.SettleableRefund | undefined) {
  if (found === undefined) return undefined
  const isDone = found.state === 'captured' || found.state === 'processed'
  return { amountPaise: found.amountPaise, isDone, settlementId: found.settlementId }
}

async function settle(
  ctx: PaymentContext,
  tx: Transaction,
  batch: {
    provider: ProviderName
    report: SettlementReport
    collectorCode: string
    matched: readonly SettlementItem[]
    payments: ReadonlyMap<string, Payment>
    settledAt: Date
  },
): Promise<void> {
  const { provider, report, collectorCode, matched, settledAt } = batch
  const { instituteId, utr } = report
  const sums = sumItems(matched)
  const id = await store.growSettlement(tx, {
    ...sums,
    instituteId,
    id: newId('stl'),
    provider,
    collectorCode,
    utr,
    settledAt,
  })
  const ids = (kind: SettlementItem['kind']) =>
    matched.filter(item => item.kind === kind).map(item => item.ourId)
  await store.setSettlement(tx, instituteId, id, { payments: ids('payment'), refunds: ids('refund') })
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
