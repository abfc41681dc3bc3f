import { captureOf } from '../../ledger/ledger.rules.ts'
import { post } from '../../ledger/ledger.service.ts'
import { lockOrder } from '../../orders/order-payments.service.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import type { PaymentOutcome } from '../../providers/port.ts'
import { providerOf, type PaymentContext } from '../context.ts'
import { knownHolidays } from '../holidays.service.ts'
import { assertMove, paysExactly, settleDueOn, type Payment } from '../payments.rules.ts'
import { lockWithOrder, movePayment, readPayment, setAmount } from '../payments.store.ts'
import { refundMismatched } from '../refunds/refunds.service.ts'
import { findMismatchedPayment, resolveException } from '../settlements/settlements.store.ts'

type Target = { instituteId: number; id: string; by: string }

/**
 * Gives back money that came with another amount than its order asks for. It is recorded as it came and refunded whole, as
 * a second payment of a paid order is; the order can then be paid again. The provider is asked first what came.
 */
export async function refundMismatch(
  ctx: PaymentContext,
  command: Command<{ id: string }>,
  target: Target,
  note: string,
): Promise<{ id: string }> {
  const { instituteId, id, by } = target
  // A number that is not one names nothing.
  const paymentId = /^\d{1,15}$/.test(id) ? await findMismatchedPayment(ctx.db, { instituteId, id }) : null
  const payment = paymentId === null ? null : await readPayment(ctx.db, instituteId, paymentId)
  if (payment === null) throw notFound('Money that came with another amount')
  const outcome = await askWhatCame(ctx, payment)
  return transact(ctx.db, command, async tx => {
    const now = ctx.clock.now()
    const locked = await lockWithOrder(tx, instituteId, payment.id)
    const order = await lockOrder(tx, instituteId, payment.orderId)
    if (
      locked === null ||
      order === null ||
      !(await resolveException(tx, { instituteId, id }, { at: now, by, note }))
    )
      throw conflict('Somebody has dealt with it at this moment.')
    assertMove(locked.payment.state, 'captured')
    const { amountPaise, mode, transactionId, capturedAt } = outcome
    await setAmount(tx, payment, amountPaise)
    await movePayment(tx, locked.payment, {
      state: 'captured',
      mode,
      transactionId,
      capturedAt,
      isDuplicate: true,
      settleDueOn: settleDueOn(capturedAt, await knownHolidays(ctx.db, tx)),
      nextCheckAt: null,
    })
    await post(tx, instituteId, captureOf(payment.id, amountPaise, true), capturedAt)
    await refundMismatched(tx, { payment: { ...locked.payment, amountPaise }, order }, now)
    return { id }
  })
}

async function askWhatCame(
  ctx: PaymentContext,
  payment: Payment,
): Promise<Extract<PaymentOutcome, { kind: 'captured' }>> {
  const { instituteId, id: paymentId, providerRef } = payment
  const provider = await providerOf(ctx, payment)
  const { outcome } = await provider.status({ instituteId, paymentId, providerRef })
  if (outcome.kind !== 'captured' || paysExactly(outcome, payment.amountPaise))
    throw conflict('The provider reports it otherwise now. Look again in some minutes.')
  return outcome
}
