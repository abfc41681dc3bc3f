import { openOrders, type PlannedOrder } from '../../orders/order-payments.service.ts'
import { assert } from '../../platform/assert.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { newId } from '../../platform/ids.ts'
import * as store from './debits.store.ts'
import { ProviderRefused, type DebitRequest, type Rail } from '../../providers/port.ts'
import { newPayment, nextCheck, type AccountRef, type Payment } from '../payments.rules.ts'
import { applyReport } from '../payments.service.ts'
import { mandatesOf, type PaymentContext, transfersOf } from '../context.ts'

/** A presentation that is to be made: its order, and how it is debited. */
export type Debit = PlannedOrder &
  AccountRef & {
    mode: Rail
    at: Date
    /** The provider's name for it, where it was announced to the payer's bank. */
    announcedRef?: string | null
  }

/** An order of a plan that the parent pays at the checkout, in the caller's transaction. */
export async function openOrder(tx: Transaction, planned: PlannedOrder): Promise<void> {
  assert(planned.order.kind === 'downpayment', 'only a down payment is opened without its payment')
  await openOrders(tx, [planned])
}

/**
 * Writes orders and intents to debit them in the caller's transaction: two statements, however many. After the commit
 * each is sent by `sendDebit`; one that is not, because its process died in between, the reconciler gives up as `abandoned`.
 */
export async function openDebits(tx: Transaction, debits: readonly Debit[]): Promise<Payment[]> {
  if (debits.length === 0) return []
  assert(
    debits.every(({ order }) => order.kind === 'instalment'),
    'only instalments are debited',
  )
  await openOrders(tx, debits)
  const payments = debits.map(
    ({ instituteId, order, provider, accountId, mode, at, announcedRef = null }) => ({
      ...newPayment(instituteId, order, { id: newId('pay'), provider, accountId, mode, at }),
      providerRef: announcedRef,
    }),
  )
  await store.insertDebits(
    tx,
    payments.map(payment => ({ payment, nextCheckAt: nextCheck(0, payment.createdAt) })),
  )
  return payments
}

/**
 * Hands a debit to the bank, outside a transaction. May be repeated while its end is not known: the bank takes it once.
 * `over`: it has ended meanwhile, so it was not sent. When the answer is lost this throws and the reconciler finds out.
 */
export async function sendDebit(
  ctx: PaymentContext,
  payment: Payment,
  details: Pick<DebitRequest, 'mandateRef' | 'collectorCode' | 'payer' | 'description'>,
): Promise<'sent' | 'over'> {
  const now = ctx.clock.now()
  const { instituteId, id: paymentId, amountPaise } = payment
  const rail = payment.mode as Rail
  const debit = { ...details, instituteId, paymentId, amountPaise, rail, announcedRef: payment.providerRef }
  const mandates = await mandatesOf(ctx, payment)
  // A check that began before can no longer give it up from here on: its answer is out of date.
  const intent = { nextCheckAt: nextCheck(0, now), providerRef: mandates.referenceOf?.(debit) ?? null }
  if (!(await store.takeToSend(ctx.db, payment, intent))) return 'over'
  try {
    const { providerRef } = await mandates.present(debit)
    await store.recordPresented(ctx.db, payment, { providerRef, nextCheckAt: nextCheck(1, now) })
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    await applyReport(ctx, {
      about: 'payment',
      instituteId,
      paymentId,
      providerRef: '',
      outcome: { kind: 'failed', code: error.code ?? 'refused', message: error.message },
    })
  }
  return 'sent'
}

/** A transfer that somebody has sent: its order, and who takes it in. */
type Transfer = PlannedOrder & AccountRef & { at: Date }

/** Writes the order and the intent to take it in, in the caller's transaction. After the commit it is `sendTransfer`'s. */
export async function openTransfer(tx: Transaction, transfer: Transfer): Promise<Payment> {
  const { instituteId, order, provider, accountId, at } = transfer
  assert(order.kind === 'loan', 'only what a lender pays out is transferred')
  await openOrders(tx, [transfer])
  const payment = newPayment(instituteId, order, { id: newId('pay'), provider, accountId, mode: 'loan', at })
  await store.insertDebits(tx, [{ payment, nextCheckAt: nextCheck(0, at) }])
  return payment
}

/**
 * Tells the provider of it, outside a transaction. May be repeated until it is captured, also after the payment was
 * given up: the money is the same, and it wins.
 */
export async function sendTransfer(
  ctx: PaymentContext,
  payment: Payment,
  { collectorCode, reference }: { collectorCode: string; reference: string },
): Promise<void> {
  const now = ctx.clock.now()
  const { instituteId, id: paymentId, amountPaise } = payment
  const { providerRef } = await (
    await transfersOf(ctx, payment)
  ).expect({
    instituteId,
    collectorCode,
    paymentId,
    amountPaise,
    mode: 'loan',
    reference,
  })
  await store.recordPresented(ctx.db, payment, { providerRef, nextCheckAt: nextCheck(1, now) })
}
