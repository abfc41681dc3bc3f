import { recordEvents } from '../../events/events.service.ts'
import { refundRequestOf, refundResultOf } from '../../ledger/ledger.rules.ts'
import { post } from '../../ledger/ledger.service.ts'
import { lockOrder, markRefunded, lockOrders } from '../../orders/order-payments.service.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { ZERO, type Paise, formatRupees, splitInProportion, sumPaise } from '../../platform/money.ts'
import { refundEvent } from '../payment.events.ts'
import { type PaidOrder, providerOf, type PaymentContext } from '../context.ts'
import { assertUndisputed } from './refunds.service.ts'
import { lockPaying, listAtProvider } from '../payments.store.ts'
import { linesOfRefund, takeAdvanceFirst } from './refunds.service.ts'
import { newRefund, refundableOf, type Refund } from './refunds.rules.ts'
import * as store from './refunds.store.ts'
import type { Account } from '../../providers/accounts/registry.service.ts'
import type { UnaskedRefund } from '../../providers/port.ts'
import type { Payment } from '../payments.rules.ts'
import { applyReport } from '../payments.service.ts'
import { clearExceptions, insertExceptions } from '../settlements/settlements.store.ts'
import { listRefunds } from './refunds.store.ts'

/**
 * A refund that no provider is asked for: the bank made it, or a person did from the institute's bank account or in the
 * provider's dashboard.
 */
type MadeRefund = {
  id?: string
  amountPaise: Paise
  reason: string
  providerRef?: string
  utr: string | null
  at: Date
}

/** Books it in the caller's transaction, which has locked order and payment. */
export async function recordMadeRefund(
  tx: Transaction,
  { payment, order }: PaidOrder,
  earlier: readonly Refund[],
  { id = newId('rfd'), amountPaise, reason, providerRef, utr, at }: MadeRefund,
): Promise<Refund> {
  const asked = { amountPaise, lines: null }
  const lines = await linesOfRefund(tx, { payment, order }, earlier, asked)
  const refund = newRefund(payment, {
    id,
    kind: 'requested',
    state: 'processed',
    amountPaise,
    lines,
    reason,
    providerRef: providerRef ?? null,
    utr,
    requestedAt: at,
    processedAt: at,
  })
  await store.insertRefund(tx, refund)
  await markRefunded(tx, payment.instituteId, order, { lines, at })
  await takeAdvanceFirst(tx, { payment, order }, lines, at)
  await post(tx, payment.instituteId, refundRequestOf(id, amountPaise), at)
  await post(tx, payment.instituteId, refundResultOf(id, amountPaise, true), at)
  await recordEvents(tx, [refundEvent(refund, payment, order, { happened: 'processed', at })])
  return refund
}

/** Locks the order, so that it comes before whatever else the caller locks. */
export async function refundByHand(
  tx: Transaction,
  { instituteId, orderId }: { instituteId: number; orderId: string },
  made: Omit<MadeRefund, 'id'>,
): Promise<Refund> {
  const order = await lockOrder(tx, instituteId, orderId)
  if (order === null) throw notFound('This order')
  const payment = await lockPaying(tx, instituteId, orderId)
  if (payment === null) throw conflict('This money is not booked yet. Try again in a minute.')
  await assertUndisputed(tx, payment)
  const earlier = await store.listRefunds(tx, instituteId, payment.id)
  if (made.amountPaise > refundableOf(payment, earlier))
    throw conflict('This is more than what is left of the payment.')
  return recordMadeRefund(tx, { payment, order }, earlier, made)
}

/** What was given back of these payments. */
export async function listMadeRefunds(
  { db }: Pick<Context, 'db'>,
  payments: Parameters<typeof store.listMade>[1],
): Promise<Refund[]> {
  return store.listMade(db, payments)
}

/** Our refund of what somebody refunded at the provider; one for each child that a payment was for. */
type TakenOver = { id: string; amountPaise: Paise }

/** One of the payments that the provider knows as one, with what is left to refund of it. */
type RefundedPart = { paid: PaidOrder | null; earlier: readonly Refund[]; leftPaise: Paise }

/**
 * Somebody refunded a payment in the provider's dashboard. The money has gone back, so it is booked as a refund of that
 * payment, in proportion to what is left of each child's part and of its lines, once however often it is told; dues open
 * again and the family is told as of ours. Where it is not plain what it gives back, a person looks at it, and nothing is
 * answered.
 */
export async function takeOverRefund(
  ctx: PaymentContext,
  account: Account,
  report: UnaskedRefund,
): Promise<TakenOver[]> {
  const { instituteId, paymentId } = report
  const known = await listAtProvider(ctx.db, instituteId, paymentId)
  const [first] = known
  if (first === undefined || first.accountId !== account.id) return []
  if (first.state !== 'captured') {
    // A refunded payment was captured first: if we have not heard of that yet, the provider is asked.
    const provider = await providerOf(ctx, first)
    const asked = { instituteId, paymentId, providerRef: first.providerRef }
    await applyReport(ctx, await provider.status(asked))
  }
  return ctx.db.transaction(async tx => {
    await lockOrders(
      tx,
      instituteId,
      known.map(({ orderId }) => orderId),
    )
    const parts: RefundedPart[] = []
    for (const one of known) parts.push(await readPart(tx, one))
    const before = parts.flatMap(({ earlier }) =>
      earlier.filter(({ providerRef }) => providerRef === report.providerRef),
    )
    if (before.length > 0) return before
    const problem = problemOf(parts, report)
    if (problem === null) return book(ctx, tx, { account, report, parts })
    await insertException(ctx, tx, { account, report, problem })
    return []
  })
}

async function readPart(tx: Transaction, { instituteId, id, orderId }: Payment): Promise<RefundedPart> {
  const order = await lockOrder(tx, instituteId, orderId)
  const payment = await lockPaying(tx, instituteId, orderId)
  const earlier = await listRefunds(tx, instituteId, id)
  const paid = order?.state === 'paid' && payment?.id === id ? { payment, order } : null
  return { paid, earlier, leftPaise: paid === null ? ZERO : refundableOf(paid.payment, earlier) }
}

async function book(
  ctx: PaymentContext,
  tx: Transaction,
  { account, report, parts }: { account: Account; report: UnaskedRefund; parts: readonly RefundedPart[] },
): Promise<TakenOver[]> {
  const { instituteId, providerRef, utr, at } = report
  const shares = splitInProportion(
    report.amountPaise,
    parts.map(({ leftPaise }) => leftPaise),
  )
  const made: TakenOver[] = []
  for (const [index, { paid, earlier }] of parts.entries()) {
    const amountPaise = shares[index] ?? ZERO
    if (paid === null || amountPaise === 0) continue
    const refund = { amountPaise, reason: 'made at the payment provider', providerRef, utr, at }
    const { id, lines } = await recordMadeRefund(tx, paid, earlier, refund)
    const refunded = { ...paid, lines, outcome: 'requested' } as const
    await ctx.paymentHandlers[paid.order.kind].refunded?.(tx, refunded, at)
    made.push({ id, amountPaise })
  }
  await clearExceptions(tx, { instituteId, accountId: account.id, utr: '' }, [providerRef])
  return made
}

/** Why nobody but a person can say what it gives back; null when it is plain. */
function problemOf(parts: readonly RefundedPart[], { paymentId, amountPaise }: UnaskedRefund): string | null {
  const what = `${paymentId} was refunded at the provider itself`
  if (parts.every(({ paid }) => paid === null)) return `${what}, and is not what pays its order`
  const left = sumPaise(parts.map(({ leftPaise }) => leftPaise))
  if (amountPaise <= left) return null
  const pending = parts.flatMap(({ earlier }) => earlier).filter(({ state }) => state === 'pending')
  const underWay = sumPaise(pending.map(({ amountPaise: paise }) => paise))
  return amountPaise <= sumPaise([left, underWay])
    ? `${what} while ${formatRupees(underWay)} that were asked for here are under way; if the provider refuses those, this refund is booked with its pay-out`
    : `${what}, with more than the ${formatRupees(left)} that are left of it`
}

async function insertException(
  ctx: PaymentContext,
  tx: Transaction,
  { account, report, problem }: { account: Account; report: UnaskedRefund; problem: string },
): Promise<void> {
  const { instituteId, providerRef, amountPaise: reportedPaise } = report
  const about = { instituteId, provider: account.provider, accountId: account.id, utr: '', providerRef }
  await insertExceptions(tx, [
    { ...about, problem, reportedPaise, knownPaise: null, noticedAt: ctx.clock.now() },
  ])
}
