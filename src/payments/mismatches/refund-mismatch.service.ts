import { captureOf } from '../../ledger/ledger.rules.ts'
import { post } from '../../ledger/ledger.service.ts'
import { lockOrder } from '../../orders/order-payments.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { splitInProportion, sumPaise, ZERO } from '../../platform/money.ts'
import type { PaymentOutcome } from '../../providers/port.ts'
import { providerOf, type PaymentContext } from '../context.ts'
import { knownHolidays } from '../holidays.service.ts'
import {
  AMOUNT_DIFFERS,
  assertMove,
  atProvider,
  paysExactly,
  settleDueOn,
  type Payment,
} from '../payments.rules.ts'
import { lockWithOrders, movePayment, readPayment, setAmount } from '../payments.store.ts'
import { listAtProvider } from '../start/groups.store.ts'
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
    const locked = await lockWithOrders(tx, instituteId, atProvider(payment).paymentId)
    if (locked.length === 0 || !(await resolveException(tx, { instituteId, id }, { at: now, by, note })))
      throw conflict('Somebody has dealt with it at this moment.')
    // Of several that were to be paid at once, each gives back its part of what came.
    const parts = splitInProportion(
      outcome.amountPaise,
      locked.map(one => one.payment.amountPaise),
    )
    for (const [index, one] of locked.entries())
      await giveBack(ctx, tx, one.payment, { ...outcome, amountPaise: parts[index] ?? ZERO }, now)
    return { id }
  })
}

type Captured = Extract<PaymentOutcome, { kind: 'captured' }>

async function giveBack(
  ctx: PaymentContext,
  tx: Transaction,
  payment: Payment,
  { amountPaise, mode, transactionId, capturedAt }: Captured,
  now: Date,
): Promise<void> {
  const { instituteId, id, orderId } = payment
  const order = await lockOrder(tx, instituteId, orderId)
  if (order === null) throw new Error(`the payment ${id} lost its order`)
  if (amountPaise === 0) {
    const failure = { code: AMOUNT_DIFFERS, message: 'Nothing of what came was for it.' }
    return movePayment(tx, payment, { state: 'failed', failure, nextCheckAt: null })
  }
  assertMove(payment.state, 'captured')
  await setAmount(tx, payment, amountPaise)
  await movePayment(tx, payment, {
    state: 'captured',
    mode,
    transactionId,
    capturedAt,
    isDuplicate: true,
    settleDueOn: settleDueOn(capturedAt, await knownHolidays(ctx.db, tx)),
    nextCheckAt: null,
  })
  await post(tx, instituteId, captureOf(id, amountPaise, true), capturedAt)
  await refundMismatched(tx, { payment: { ...payment, amountPaise }, order }, now)
}

async function askWhatCame(ctx: PaymentContext, payment: Payment): Promise<Captured> {
  const asked = atProvider(payment)
  const provider = await providerOf(ctx, payment)
  const { outcome } = await provider.status(asked)
  const all = await listAtProvider(ctx.db, asked.instituteId, asked.paymentId)
  const askedPaise = sumPaise(all.map(one => one.amountPaise))
  if (outcome.kind !== 'captured' || paysExactly(outcome, askedPaise))
    throw conflict('The provider reports it otherwise now. Look again in some minutes.')
  return outcome
}
