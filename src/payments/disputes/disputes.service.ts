import * as store from './disputes.store.ts'
import * as refunds from '../refunds/refunds.store.ts'
import { recordEvents } from '../../events/events.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { disputeEndOf, disputeOf, duplicateRefundOf } from '../../ledger/ledger.rules.ts'
import { post } from '../../ledger/ledger.service.ts'
import { lockOrder } from '../../orders/order-payments.service.ts'
import { takeDue } from '../../platform/jobs/due-rows.ts'
import { dayOf, formatDay } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import {
  splitInProportion,
  ZERO,
  type Paise,
  paiseOf,
  subtractPaise,
  sumPaise,
} from '../../platform/money.ts'
import type { Account } from '../../providers/accounts/registry.service.ts'
import type { DisputeReport } from '../../providers/port.ts'
import { providerOf, type PaymentContext, type PaidOrder } from '../context.ts'
import { disputeEvent } from '../payment.events.ts'
import { atProvider } from '../payments.rules.ts'
import { applyReport } from '../payments.service.ts'
import { lockWithOrders, listAtProvider } from '../payments.store.ts'
import { clearExceptions, insertExceptions } from '../settlements/settlements.store.ts'
import { decideDispute, type Dispute, type DisputesToAnswer } from './disputes.rules.ts'
import { cancelReceiptOf } from '../../receipts/receipts.service.ts'
import { newRefund, refundableOf, type Refund } from '../refunds/refunds.rules.ts'
import { refundRest, chargeFamily } from '../refunds/refunds.service.ts'
import { bookReturn } from '../refunds/returns.service.ts'

export type { DisputeRecord, DisputeToMail } from './disputes.store.ts'

/**
 * However often and in whatever order it is told, of a payment of any product, mode and account. While it is open its amount
 * is held; what a lost one takes is booked as money that went back. Somebody has to answer it at the provider in time, so it
 * stands among the exceptions until it is over. Each of several orders that were paid at once has its part.
 */
export async function applyDispute(
  ctx: PaymentContext,
  account: Pick<Account, 'id' | 'provider'>,
  report: DisputeReport,
): Promise<void> {
  const { instituteId, paymentId, amountPaise, deductedPaise } = report
  const [first] = await listAtProvider(ctx.db, instituteId, paymentId)
  if (first === undefined || first.accountId !== account.id) return
  if (first.state !== 'captured') {
    // A disputed payment was captured first: if we have not heard of that yet, the provider is asked.
    const provider = await providerOf(ctx, first)
    await applyReport(ctx, await provider.status(atProvider(first)))
  }
  await ctx.db.transaction(async (tx): Promise<void> => {
    const locked = await lockWithOrders(tx, instituteId, paymentId)
    const paid = locked.filter(({ payment }) => payment.state === 'captured')
    const weights = paid.map(({ payment }) => payment.amountPaise)
    const amounts = splitInProportion(amountPaise, weights)
    const losses = splitInProportion(deductedPaise > 0 ? deductedPaise : amountPaise, weights)
    for (const [index, { payment }] of paid.entries()) {
      const order = await lockOrder(tx, instituteId, payment.orderId)
      if (order === null) throw new Error(`the payment ${payment.id} lost its order`)
      const part = { amountPaise: amounts[index] ?? ZERO, lossPaise: losses[index] ?? ZERO }
      await applyToPayment(ctx, tx, { payment, order }, { ...report, ...part })
    }
    await noteException(ctx, tx, account, report)
  })
}

type PartReport = DisputeReport & { lossPaise: Paise }

async function applyToPayment(
  ctx: PaymentContext,
  tx: Transaction,
  paid: PaidOrder,
  { lossPaise, ...report }: PartReport,
): Promise<void> {
  const { payment, order } = paid
  const { instituteId } = payment
  const { providerRef, state, amountPaise, reasonCode, reason, phase, respondBy, at } = report
  const known = await store.findDispute(tx, { instituteId, providerRef, paymentId: payment.id })
  const change = decideDispute(known, report)
  if (change === 'nothing') return
  const told = { state, amountPaise, reasonCode, reason, phase, respondBy, changedAt: at }
  const dispute: Dispute = {
    ...(known ?? newDispute(paid, report)),
    ...told,
    deductedPaise: change === 'lost' ? lossPaise : ZERO,
    // A second payment is refunded by itself and never was the institute's, so nothing of it is held.
    ...(change === 'opened' && !payment.isDuplicate ? { heldPaise: amountPaise } : {}),
    ...(change === 'won' || change === 'lost' ? { closedAt: at } : {}),
  }
  const refund = change === 'lost' ? await bookLoss(ctx, tx, paid, dispute) : null
  const after = { ...dispute, refundId: refund?.id ?? null }
  await store.putDispute(tx, after)
  if (change === 'changed') return
  if (after.heldPaise > 0) {
    const posting = change === 'opened' ? disputeOf : disputeEndOf
    await post(tx, instituteId, posting(after.id, after.heldPaise), at)
  }
  // The ERP was never told of a payment that goes back by itself.
  if (payment.isDuplicate) return
  const what = { happened: change, at, chargedPaise: refund?.chargedPaise ?? ZERO }
  await recordEvents(tx, [disputeEvent(after, payment, order, what)])
}

function newDispute({ payment }: PaidOrder, { providerRef, at }: DisputeReport) {
  const { instituteId, id: paymentId } = payment
  const none = { heldPaise: ZERO, closedAt: null, refundId: null }
  return { instituteId, id: newId('dsp'), paymentId, providerRef, openedAt: at, ...none }
}

async function noteException(
  { clock }: PaymentContext,
  tx: Transaction,
  account: Pick<Account, 'id' | 'provider'>,
  { instituteId, paymentId, providerRef, amountPaise, reason, respondBy }: DisputeReport,
): Promise<void> {
  const about = { instituteId, accountId: account.id, utr: '' }
  if (!(await store.isOpen(tx, instituteId, providerRef))) return clearExceptions(tx, about, [providerRef])
  const until = respondBy === null ? '' : ` by ${formatDay(dayOf(respondBy))}`
  await insertExceptions(tx, [
    {
      ...about,
      provider: account.provider,
      providerRef,
      problem: `the payer disputes ${paymentId} (${reason}): answer at the provider${until}`,
      reportedPaise: amountPaise,
      knownPaise: null,
      noticedAt: clock.now(),
    },
  ])
}

/** Disputes about which no mail was written yet: `mail` writes it in the same transaction, so there is one for each. */
export async function takeDisputesToMail(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  limit: number,
  mail: (tx: Transaction, disputes: readonly store.DisputeToMail[], now: Date) => Promise<void>,
): Promise<number> {
  const now = clock.now()
  return takeDue(db, await store.findToMail(db, limit), async (tx, keys) => {
    const disputes = await store.takeToMail(tx, now, keys)
    await mail(tx, disputes, now)
    return disputes.length
  })
}

export async function nextDisputeMailDue({ db }: Pick<Context, 'db'>): Promise<Date | null> {
  return store.firstToMail(db)
}

export async function sumDisputesToAnswer(
  { db }: Pick<Context, 'db'>,
  instituteId: number,
): Promise<DisputesToAnswer> {
  return store.sumToAnswer(db, instituteId)
}

export async function listDisputesOf(
  { db }: Pick<Context, 'db'>,
  instituteId: number,
  orderId: string,
): Promise<Dispute[]> {
  return store.listDisputes(db, instituteId, orderId)
}

export async function getDispute(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
  id: string,
): Promise<store.DisputeRecord> {
  const dispute = await store.readDispute(db, institute.id, id)
  if (dispute === null) throw notFound('This dispute')
  return dispute
}

const LOST = 'dispute_lost'

/**
 * The bank has decided for the payer: the money went back, and what it paid is due again. An instalment of which nothing is
 * left is one that the bank took back; of any other payment the part that went back is due as after a refund.
 */
async function bookLoss(
  ctx: PaymentContext,
  tx: Transaction,
  paid: PaidOrder,
  dispute: Dispute,
): Promise<Refund | null> {
  const { payment, order } = paid
  const { deductedPaise: amountPaise, providerRef, reason: why, changedAt: at } = dispute
  if (amountPaise === 0) return null
  if (payment.isDuplicate) return bookDuplicate(tx, paid, dispute)
  const reason = `The payer's bank took it back: the dispute ${providerRef} was lost (${why}).`
  const taken = { kind: 'requested', cause: 'dispute', amountPaise, reason, providerRef, at } as const
  const refund = await bookReturn(ctx, tx, paid, taken)
  const all = await refunds.listRefunds(tx, payment.instituteId, payment.id)
  const isGone = refundableOf(payment, all) === 0
  if (isGone) await cancelReceiptOf(tx, payment, { reason, at })
  const { lines, chargedPaise } = refund
  const handler = ctx.paymentHandlers[order.kind]
  if (isGone && order.kind === 'instalment')
    await handler.reversed(tx, { ...paid, code: LOST, message: reason, chargedPaise }, at)
  else await handler.refunded?.(tx, { ...paid, lines, outcome: 'requested' }, at)
  return refund
}

/**
 * A second payment goes back by itself; a dispute that took it is that refund, if nobody has sent it yet, and what it left goes
 * back as before. What had been sent went out twice: the institute bears it, and the family owes it as a charge of its own.
 */
async function bookDuplicate(
  tx: Transaction,
  paid: PaidOrder,
  { deductedPaise: amountPaise, providerRef, changedAt: at }: Dispute,
): Promise<Refund> {
  const { payment, order } = paid
  const { instituteId } = payment
  const message = 'The payer’s bank took the payment back before the refund was sent.'
  for (const unsent of await refunds.lockUnsent(tx, instituteId, payment.id))
    await refunds.finishRefund(tx, { ...unsent, state: 'failed', failureMessage: message })
  const earlier = await refunds.listRefunds(tx, instituteId, payment.id)
  const gone = sumPaise(earlier.filter(one => one.state !== 'failed').map(one => one.amountPaise))
  const left = Math.max(payment.amountPaise - gone, 0)
  const chargedPaise = paiseOf(Math.max(amountPaise - left, 0))
  const within = subtractPaise(amountPaise, chargedPaise)
  const [line] = order.lines
  const refund = newRefund(payment, {
    id: newId('rfd'),
    kind: 'duplicate',
    state: 'processed',
    amountPaise,
    chargedPaise,
    lines: within > 0 ? [{ lineNo: 1, componentType: line?.componentType ?? '', amountPaise: within }] : [],
    reason: 'disputed',
    cause: 'dispute',
    providerRef,
    requestedAt: at,
    processedAt: at,
  })
  await refunds.insertRefund(tx, refund)
  await post(tx, instituteId, duplicateRefundOf(refund.id, amountPaise, chargedPaise), at)
  await chargeFamily(tx, instituteId, order, { amountPaise: chargedPaise, at })
  if (left > amountPaise) await refundRest(tx, paid, { amountPaise: paiseOf(left - amountPaise), at })
  return refund
}
