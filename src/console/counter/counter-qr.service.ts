import { findFamilyOrders, openFamilyIn, type ChildPart } from '../../dues/pay-dues.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { closeUnpaid } from '../../orders/order-payments.service.ts'
import { totalOf, type Order } from '../../orders/orders.rules.ts'
import { findOrders } from '../../orders/orders.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { commonAccount } from '../../payments/start/start-payment.service.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { sumPaise, type Paise } from '../../platform/money.ts'
import type { ReceiptKey } from '../../receipts/receipts.rules.ts'

const STATES = ['waiting', 'paid', 'closed'] as const
export { STATES as COUNTER_QR_STATES }

export type CounterQr = {
  checkoutId: string
  url: string
  amountPaise: Paise
  state: (typeof STATES)[number]
  receipts: ReceiptKey[]
}

/**
 * The exact sum that a family agreed to at the counter, as orders that its phone pays at once: the code leads to the
 * checkout, which is the same with every provider.
 */
export async function openCounterQr(
  ctx: PaymentContext,
  command: Command<CounterQr>,
  institute: Institute,
  children: readonly ChildPart[],
): Promise<CounterQr> {
  const ids = children.map(child => child.studentId)
  if (new Set(ids).size < ids.length) throw badField('children', 'has a child twice')
  return transact(ctx.db, command, async tx => {
    // A payment that was begun on an earlier code goes on; an earlier code that nobody opened is replaced.
    const { checkoutId } = await openFamilyIn(tx, ctx, institute, children, { urlOf: () => null })
    const orders = await ordersOf({ db: tx }, institute, checkoutId)
    if ((await commonAccount(ctx.accounts, institute.id, orders)) === null)
      throw conflict(
        'These fees go to different accounts, or online payment is not set up. Show a code for each child, or take the money in another way.',
      )
    return toQr(ctx, institute, checkoutId, orders)
  })
}

export async function readCounterQr(
  ctx: Pick<PaymentContext, 'db' | 'publicUrl'>,
  institute: Institute,
  checkoutId: string,
): Promise<CounterQr> {
  return toQr(ctx, institute, checkoutId, await ordersOf(ctx, institute, checkoutId))
}

/** Nobody begins to pay it any more; what a phone has begun still counts. */
export async function closeCounterQr(
  { db, clock, publicUrl }: Pick<PaymentContext, 'db' | 'clock' | 'publicUrl'>,
  command: Command<CounterQr>,
  institute: Institute,
  checkoutId: string,
): Promise<CounterQr> {
  return transact(db, command, async tx => {
    const open = (await ordersOf({ db: tx }, institute, checkoutId)).filter(isOpen)
    await closeUnpaid(
      tx,
      institute.id,
      open.map(({ id }) => id),
      clock.now(),
    )
    const orders = await ordersOf({ db: tx }, institute, checkoutId)
    return toQr({ publicUrl }, institute, checkoutId, orders)
  })
}

async function ordersOf(
  { db }: { db: Queryable },
  institute: Institute,
  checkoutId: string,
): Promise<Order[]> {
  const family = await findFamilyOrders({ db }, institute, checkoutId)
  const orders = family.length > 0 ? family : await findOrders({ db }, institute, [checkoutId])
  if (orders.length === 0 || orders.some(({ kind }) => kind !== 'student')) throw notFound('This code')
  return orders
}

const isOpen = ({ state, closedAt }: Order): boolean => state === 'unpaid' && closedAt === null

function toQr(
  { publicUrl }: Pick<PaymentContext, 'publicUrl'>,
  { code }: Institute,
  checkoutId: string,
  orders: readonly Order[],
): CounterQr {
  const isPaid = orders.every(({ state }) => state === 'paid')
  return {
    checkoutId,
    url: `${publicUrl}/pay/${code}/${checkoutId}`,
    amountPaise: sumPaise(orders.map(totalOf)),
    state: isPaid ? 'paid' : orders.some(isOpen) ? 'waiting' : 'closed',
    receipts: orders.flatMap(({ receipt }) => receipt ?? []),
  }
}
