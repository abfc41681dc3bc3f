import { returnOf } from '../../ledger/ledger.rules.ts'
import { post } from '../../ledger/ledger.service.ts'
import { markRefunded } from '../../orders/order-payments.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { newId } from '../../platform/ids.ts'
import type { Paise } from '../../platform/money.ts'
import type { PaymentContext } from '../context.ts'
import type { PaidOrder } from '../payment-handler.ts'
import { endRefund } from './refunds.service.ts'
import { takenBack, type Refund } from './refunds.rules.ts'
import * as store from './refunds.store.ts'
import { chargeFamily } from './returned-charge.service.ts'

/** Money that a bank took from the institute, whether by returning a debit or by deciding a dispute for the payer. */
type TakenMoney = Pick<Refund, 'kind' | 'cause' | 'providerRef'> & {
  id?: string
  amountPaise: Paise
  reason: string
  at: Date
}

/**
 * Books it in the caller's transaction, which has locked order and payment, as money that went back and that nobody asked
 * for; the bank's next pay-out, which is less by it, matches like any other. A refund that nobody has sent yet is not sent
 * any more. What had been refunded before went out twice, and the family owes it as a charge of its own: what was paid of
 * a fee never falls below nothing.
 */
export async function takeBack(
  ctx: PaymentContext,
  tx: Transaction,
  { payment, order }: PaidOrder,
  { id = newId('rfd'), kind, cause, amountPaise, reason, providerRef, at }: TakenMoney,
): Promise<Refund> {
  const { instituteId } = payment
  for (const refund of await store.lockUnsent(tx, instituteId, payment.id))
    await endRefund(ctx, tx, { refund, payment, order }, { kind: 'failed', message: UNSENT, at })
  const earlier = await store.listRefunds(tx, instituteId, payment.id)
  const { lines, chargedPaise } = takenBack(order, earlier, amountPaise)
  const refund: Refund = {
    instituteId,
    id,
    paymentId: payment.id,
    orderId: order.id,
    kind,
    state: 'processed',
    amountPaise,
    chargedPaise,
    lines,
    reason,
    cause,
    providerRef,
    utr: null,
    failureMessage: null,
    requestedAt: at,
    processedAt: at,
    tries: 0,
  }
  await store.insertRefund(tx, refund)
  await post(tx, instituteId, returnOf(id, amountPaise), at)
  await markRefunded(tx, instituteId, order, { lines, at })
  await chargeFamily(tx, instituteId, order, { amountPaise: chargedPaise, at })
  return refund
}

const UNSENT = 'The bank took the payment back before the refund was sent.'
