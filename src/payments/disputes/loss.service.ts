import { duplicateRefundOf } from '../../ledger/ledger.rules.ts'
import { post } from '../../ledger/ledger.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { newId } from '../../platform/ids.ts'
import { paiseOf, subtractPaise, sumPaise } from '../../platform/money.ts'
import { cancelReceiptOf } from '../../receipts/receipts.service.ts'
import type { PaymentContext } from '../context.ts'
import type { PaidOrder } from '../payment-handler.ts'
import { refundableOf, type Refund } from '../refunds/refunds.rules.ts'
import * as refunds from '../refunds/refunds.store.ts'
import { refundRest } from '../refunds/refunds.service.ts'
import { chargeFamily } from '../refunds/returned-charge.service.ts'
import { takeBack } from '../refunds/take-back.service.ts'
import type { Dispute } from './disputes.rules.ts'

const LOST = 'dispute_lost'

/**
 * The bank has decided for the payer: the money went back, and what it paid is due again. An instalment of which nothing is
 * left is one that the bank took back; of any other payment the part that went back is due as after a refund.
 */
export async function bookLoss(
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
  const refund = await takeBack(ctx, tx, paid, taken)
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
  const refund: Refund = {
    instituteId,
    id: newId('rfd'),
    paymentId: payment.id,
    orderId: order.id,
    kind: 'duplicate',
    state: 'processed',
    amountPaise,
    chargedPaise,
    lines: within > 0 ? [{ lineNo: 1, componentType: line?.componentType ?? '', amountPaise: within }] : [],
    reason: 'disputed',
    cause: 'dispute',
    providerRef,
    utr: null,
    failureMessage: null,
    requestedAt: at,
    processedAt: at,
    tries: 0,
  }
  await refunds.insertRefund(tx, refund)
  await post(tx, instituteId, duplicateRefundOf(refund.id, amountPaise, chargedPaise), at)
  await chargeFamily(tx, instituteId, order, { amountPaise: chargedPaise, at })
  if (left > amountPaise) await refundRest(tx, paid, { amountPaise: paiseOf(left - amountPaise), at })
  return refund
}
