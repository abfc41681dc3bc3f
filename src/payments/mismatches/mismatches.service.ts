import { captureOf } from '../../ledger/ledger.rules.ts'
import { post } from '../../ledger/ledger.service.ts'
import { changeLines, lockOrder } from '../../orders/order-payments.service.ts'
import type { Order } from '../../orders/orders.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { splitInProportion, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
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
  linesOfAmount,
} from '../payments.rules.ts'
import { askAboutCredit } from '../credits/credits.service.ts'
import { capture, move } from '../payments.service.ts'
import {
  adjustOwnPart,
  lockWithOrders,
  movePayment,
  readPayment,
  setAmount,
  listAtProvider,
} from '../payments.store.ts'
import type { Refund } from '../refunds/refunds.rules.ts'
import { getRefund, refundAgain, refundMismatched } from '../refunds/refunds.service.ts'
import { settleAgain } from '../settlements/settlements.service.ts'
import * as exceptions from '../settlements/settlements.store.ts'

/** Lists payments of a wrong amount, or to an account number that is closed, and refunds of such payments that failed, which nobody has dealt with yet. */
export async function listMismatches(
  { db }: Pick<PaymentContext, 'db'>,
  instituteId: number,
  ids?: readonly string[],
): Promise<exceptions.Mismatch[]> {
  return exceptions.listMismatches(db, instituteId, ids)
}

/** `id`: of the exception that tells of it. */
type MismatchDecision = { instituteId: number; id: string; by: string }

/** A mismatch that was dealt with: the amount that came for each order. */
export type SettledMismatch = { id: string; came: { orderId: string; amountPaise: Paise }[] }

/**
 * Gives back money that came with another amount than its order asks for, or to an account number that is closed. It is recorded as it came and refunded whole, as
 * a second payment of a paid order is; the order can then be paid again. Where that refund failed, it is asked for again.
 */
export async function refundMismatch(
  ctx: PaymentContext,
  command: Command<SettledMismatch>,
  target: MismatchDecision,
  note: string,
): Promise<SettledMismatch> {
  const failed = await findFailedRefund(ctx, target)
  if (failed !== null) return repeatRefund(ctx, command, { ...target, note }, failed)
  return settleMismatch(ctx, command, { ...target, note }, async (tx, all) => {
    for (const came of all) await giveBack(ctx, tx, came)
  })
}

/**
 * Takes it as a payment of the student's dues, with the amount that came: the order's lines become what it pays, and what is
 * left is still due. Only of an order that we made of the dues; the lines of others somebody else chose.
 */
export async function takeMismatch(
  ctx: PaymentContext,
  command: Command<SettledMismatch>,
  target: MismatchDecision,
  note: string,
): Promise<SettledMismatch> {
  if ((await findFailedRefund(ctx, target)) !== null)
    throw conflict('It is recorded as money that goes back. Refund it again instead.')
  return settleMismatch(ctx, command, { ...target, note }, async (tx, all) => {
    const taken = []
    for (const { payment, order, outcome } of all) {
      if (order.kind !== 'student')
        throw conflict(
          'Only a payment of a student’s dues can be taken with another amount. Refund it instead.',
        )
      if (order.state === 'paid') throw conflict('Its order was paid otherwise. Refund it instead.')
      const { amountPaise } = outcome
      if (amountPaise === 0) throw conflict('Too little came for all of its orders. Refund it instead.')
      if (payment.isSplit)
        throw conflict('It was divided between bank accounts by what was asked for. Refund it instead.')
      await setAmount(tx, payment, amountPaise)
      await changeLines(tx, target.instituteId, order, linesOfAmount(order.lines, amountPaise))
      const paid = { ...payment, amountPaise }
      const decision = { kind: 'capture', outcome, isDuplicate: false } as const
      await capture(ctx, tx, { payment: paid, order }, decision)
      taken.push({ paid, decision })
    }
    for (const { paid, decision } of taken) await move(ctx, tx, paid, decision)
  })
}

/** A number that is not one names nothing. */
const isNumber = (id: string): boolean => /^\d{1,15}$/.test(id)

async function findFailedRefund(
  ctx: PaymentContext,
  { instituteId, id }: MismatchDecision,
): Promise<Refund | null> {
  const refundId = isNumber(id) ? await exceptions.findFailedRefund(ctx.db, { instituteId, id }) : null
  return refundId === null ? null : getRefund(ctx, instituteId, refundId)
}

/** Two people cannot give the same money back twice, because the exception is resolved once. */
async function repeatRefund(
  ctx: PaymentContext,
  command: Command<SettledMismatch>,
  { instituteId, id, by, note }: MismatchDecision & { note: string },
  failed: Refund,
): Promise<SettledMismatch> {
  return transact(ctx.db, command, async tx => {
    const at = ctx.clock.now()
    await lockOrder(tx, instituteId, failed.orderId)
    if (!(await exceptions.resolveException(tx, { instituteId, id }, { at, by, note }))) throw dealtWith()
    await refundAgain(tx, failed, at)
    return { id, came: [{ orderId: failed.orderId, amountPaise: failed.amountPaise }] }
  })
}

const dealtWith = () => conflict('Somebody has dealt with it at this moment.')

type CapturedOutcome = Extract<PaymentOutcome, { kind: 'captured' }>
/** `outcome` with its part of what came. */
type MismatchedPayment = { payment: Payment; order: Order; outcome: CapturedOutcome }

/** The provider is asked first what came; then it is looked at under the locks of order and payment, once. */
async function settleMismatch(
  ctx: PaymentContext,
  command: Command<SettledMismatch>,
  { instituteId, id, by, note }: MismatchDecision & { note: string },
  act: (tx: Transaction, all: readonly MismatchedPayment[]) => Promise<void>,
): Promise<SettledMismatch> {
  const known = isNumber(id) ? await exceptions.findMismatchedPayment(ctx.db, { instituteId, id }) : null
  const payment = known === null ? null : await readPayment(ctx.db, instituteId, known)
  if (payment === null) throw notFound('Money that came with another amount')
  const outcome = await askWhatCame(ctx, payment)
  const settled = await transact(ctx.db, command, async tx => {
    const at = ctx.clock.now()
    const locked = await lockWithOrders(tx, instituteId, atProvider(payment).paymentId)
    const isOpen = await exceptions.resolveException(tx, { instituteId, id }, { at, by, note })
    if (locked.length === 0 || !isOpen) throw dealtWith()
    // When several orders were to be paid at once, each has its part of what came.
    const parts = splitInProportion(
      outcome.amountPaise,
      locked.map(one => one.payment.amountPaise),
    )
    const all: MismatchedPayment[] = []
    for (const [index, { payment: one }] of locked.entries()) {
      const order = await lockOrder(tx, instituteId, one.orderId)
      if (order === null) throw new Error(`the payment ${one.id} lost its order`)
      all.push({ payment: one, order, outcome: { ...outcome, amountPaise: parts[index] ?? ZERO } })
    }
    await act(tx, all)
    return {
      id,
      came: all.map(({ order, outcome: { amountPaise } }) => ({ orderId: order.id, amountPaise })),
    }
  })
  // Paid out before anybody decided about it; where that fails it stays a difference, which a person sees.
  await settleAgain(ctx, payment).catch(() => {})
  return settled
}

async function giveBack(
  ctx: PaymentContext,
  tx: Transaction,
  { payment, order, outcome }: MismatchedPayment,
): Promise<void> {
  const { instituteId, id } = payment
  const { amountPaise, mode, transactionId, capturedAt } = outcome
  if (amountPaise === 0) {
    const failure = { code: AMOUNT_DIFFERS, message: 'Nothing of what came was for it.' }
    return movePayment(tx, payment, { state: 'failed', failure, nextCheckAt: null })
  }
  assertMove(payment.state, 'captured')
  await setAmount(tx, payment, amountPaise)
  if (payment.isSplit) await adjustOwnPart(tx, payment, amountPaise)
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
  await refundMismatched(tx, { payment: { ...payment, amountPaise }, order }, ctx.clock.now())
}

async function askWhatCame(ctx: PaymentContext, payment: Payment): Promise<CapturedOutcome> {
  const kept = await askAboutCredit(ctx, payment)
  if (kept !== null) return kept
  const asked = atProvider(payment)
  const provider = await providerOf(ctx, payment)
  const { outcome } = await provider.status(asked)
  const all = await listAtProvider(ctx.db, asked.instituteId, asked.paymentId)
  const askedPaise = sumPaise(all.map(one => one.amountPaise))
  if (outcome.kind !== 'captured' || paysExactly(outcome, askedPaise))
    throw conflict('The provider reports it otherwise now. Look again in some minutes.')
  return outcome
}
