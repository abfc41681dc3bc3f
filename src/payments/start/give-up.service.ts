import type { OrderToPay } from '../../orders/orders.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { PaymentMode } from '../../providers/port.ts'
import type { PaymentContext } from '../context.ts'
import { accountToPay } from '../offers.service.ts'
import { nextCheck, TAKEN_OVER } from '../payments.rules.ts'
import * as store from '../payments.store.ts'

/**
 * Ends payments that were started and not finished, because another takes their place; with one, all that are paid at the
 * bank together with it. Their payers may still be at the bank's page: money that comes from them all the same counts.
 */
export async function giveUpStarted(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  if (ids.length === 0) return
  const failure = { code: TAKEN_OVER, message: 'Another payment was started in its place.' }
  await store.giveUpStarted(tx, instituteId, ids, { failure, nextCheckAt: nextCheck(0, now) })
}

/** A payer who comes back may choose another way; what the bank has reported something about stays. */
export async function giveUpOtherMode(
  ctx: PaymentContext,
  instituteId: number,
  orders: readonly OrderToPay[],
  mode: PaymentMode,
): Promise<void> {
  const underWay = await store.findUnderWay(ctx.db, instituteId, orders[0]?.id ?? '')
  if (underWay === null || underWay.mode === mode) return
  if ((await accountToPay(ctx, instituteId, orders, mode)) === null) return
  await ctx.db.transaction(tx => giveUpStarted(tx, instituteId, [underWay.id], ctx.clock.now()))
}
