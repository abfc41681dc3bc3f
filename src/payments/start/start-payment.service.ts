import type { Institute } from '../../institutes/institutes.rules.ts'
import { lockOrders } from '../../orders/order-payments.service.ts'
import { stateAt, type OrderToPay, totalOf } from '../../orders/orders.rules.ts'
import { findOrder } from '../../orders/orders.service.ts'
import { assert } from '../../platform/assert.ts'
import { conflict, notFound, unavailable } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { readableComponent } from '../../platform/names.ts'
import { sumPaise, type Paise } from '../../platform/money.ts'
import { ProviderRefused, type PaymentMode } from '../../providers/port.ts'
import { providerOf, type PaymentContext } from '../context.ts'
import {
  atProvider,
  describeOrders,
  newPayment,
  nextCheck,
  payableUntil,
  type Payment,
  TAKEN_OVER,
} from '../payments.rules.ts'
import { applyReport } from '../payments.service.ts'
import * as store from '../payments.store.ts'
import { insertGroup, listAtProvider } from '../payments.store.ts'
import { toLinkedParts, type Part } from '../parts/parts.rules.ts'
import { findClosed, planParts } from '../parts/parts.service.ts'
import { insertParts, listParts } from '../parts/parts.store.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { waysFor, wayRefusal, type Ways } from '../../providers/accounts/accounts.rules.ts'
import type { Account, BranchKey } from '../../providers/accounts/registry.service.ts'

type Options = { mode: PaymentMode; returnUrl: string }
/** What one payment at the bank pays: an order, or several at once. */
type OpenedPayments = { payments: readonly Payment[]; orders: readonly OrderToPay[] }

/**
 * Starts a payment of an order or takes up the one under way: a second tab, a double click and a reload all end at the same
 * payment. The intent is committed before the provider is asked; if its answer is lost, the reconciler finds out. `order` is
 * an id, or the order as the request has just read it, which spares a read.
 */
export async function startPayment(
  ctx: PaymentContext,
  institute: Institute,
  order: string | OrderToPay,
  options: Options,
): Promise<Payment> {
  return startOpened(ctx, institute, await openPayment(ctx, institute, order, options.mode), options)
}

/** The same for several orders that one payment at the bank pays: each has a payment of its own, and all of them move together. */
export async function startTogether(
  ctx: PaymentContext,
  institute: Institute,
  orderIds: readonly string[],
  options: Options,
): Promise<Payment> {
  return startOpened(ctx, institute, await openGroup(ctx, institute, orderIds, options.mode), options)
}

/** Answers the first of them. */
async function startOpened(
  ctx: PaymentContext,
  institute: Institute,
  { payments, orders }: OpenedPayments,
  { mode, returnUrl }: Options,
): Promise<Payment> {
  const [payment] = payments
  const [order] = orders
  assert(payment !== undefined && order !== undefined, 'nothing is paid by a payment')
  if (payment.redirectUrl !== null) return payment
  const provider = await providerOf(ctx, payment)
  const now = ctx.clock.now()
  // It stays split as it was when it was opened, also when something else is set up by now.
  const split = payments.filter(({ isSplit }) => isSplit).map(({ id }) => id)
  const parts = split.length === 0 ? [] : toLinkedParts(await listParts(ctx.db, institute.id, split))
  const request = {
    instituteId: institute.id,
    collectorCode: order.collectorCode,
    paymentId: atProvider(payment).paymentId,
    amountPaise: sumPaise(payments.map(({ amountPaise }) => amountPaise)),
    mode,
    payer: { name: order.name, phone: order.phone, email: order.email },
    payableUntil: orders.map(one => payableUntil(one, now)).toSorted(byTime)[0] ?? now,
    description: describeOrders(orders),
    returnUrl,
    ...(parts.length === 0 ? {} : { parts }),
  }
  const started = await provider.start(request).catch((error: unknown) => endRefused(ctx, payment, error))
  await store.recordStarted(ctx.db, payment, started)
  return { ...payment, ...started }
}

function byTime(one: Date, other: Date): number {
  return one.getTime() - other.getTime()
}

/** The provider will refuse it again, so the payment has failed with the provider's reason, and another may start. */
async function endRefused(ctx: PaymentContext, payment: Payment, error: unknown): Promise<never> {
  if (!(error instanceof ProviderRefused)) throw error
  const { instituteId, paymentId } = atProvider(payment)
  const outcome = { kind: 'failed' as const, code: 'refused', message: error.message }
  await applyReport(ctx, { about: 'payment', instituteId, paymentId, providerRef: '', outcome })
  throw conflict(`The payment provider does not take this payment: ${error.message}`)
}

const OPENING_TRIES = 3

/**
 * Decides on the order as it is read and writes only if it is still so: one short statement instead of a transaction
 * around the two. Refused without a payment under way, something has moved in between and all is looked at again.
 */
async function openPayment(
  ctx: PaymentContext,
  institute: Institute,
  asked: string | OrderToPay,
  mode: PaymentMode,
): Promise<OpenedPayments> {
  const { db } = ctx
  const orderId = typeof asked === 'string' ? asked : asked.id
  for (let left = OPENING_TRIES; left > 0; left--) {
    const now = ctx.clock.now()
    const order = await requirePayable(ctx, institute, left === OPENING_TRIES ? asked : orderId, now)
    const account = await accountToPay(ctx, institute.id, [order], mode)
    if (account !== null) {
      const { id: accountId, provider } = account
      const about = { id: newId('pay'), provider, accountId, mode, at: now }
      const parts = await planParts(ctx, institute.id, account, order.lines)
      const payment = { ...newPayment(institute.id, order, about), isSplit: parts.length > 0 }
      const checked = { orderState: 'unpaid', nextCheckAt: nextCheck(0, now) } as const
      const isNew =
        parts.length === 0
          ? await store.insertPayment(db, payment, checked)
          : await db.transaction(async tx => {
              const isInserted = await store.insertPayment(tx, payment, checked)
              if (isInserted) await insertParts(tx, institute.id, payment.id, parts)
              return isInserted
            })
      if (isNew) return { payments: [payment], orders: [order] }
    }
    const underWay = await store.findUnderWay(db, institute.id, orderId)
    if (underWay !== null) return withGroup(ctx, institute, underWay)
    if (account === null) throw await refusedWay(ctx, institute.id, [order], mode)
  }
  throw unavailable('Other payments of this order end at this moment. Please retry.')
}

async function openGroup(
  ctx: PaymentContext,
  institute: Institute,
  orderIds: readonly string[],
  mode: PaymentMode,
): Promise<OpenedPayments> {
  const { db } = ctx
  for (let left = OPENING_TRIES; left > 0; left--) {
    const now = ctx.clock.now()
    const orders: OrderToPay[] = []
    for (const id of orderIds) orders.push(await requirePayable(ctx, institute, id, now))
    const account = await accountToPay(ctx, institute.id, orders, mode)
    if (account !== null) {
      const { id: accountId, provider } = account
      const groupId = newId('pay')
      const parts: Part[][] = []
      for (const { lines } of orders) parts.push(await planParts(ctx, institute.id, account, lines))
      const payments = orders.map((order, index) => ({
        ...newPayment(institute.id, order, { id: newId('pay'), groupId, provider, accountId, mode, at: now }),
        isSplit: parts[index]?.length !== 0,
      }))
      const isNew = await db.transaction(async tx => {
        await lockOrders(tx, institute.id, orderIds)
        if (!(await insertGroup(tx, payments, nextCheck(0, now)))) return false
        for (const [index, { id, isSplit }] of payments.entries())
          if (isSplit) await insertParts(tx, institute.id, id, parts[index] ?? [])
        return true
      })
      if (isNew) return { payments, orders }
    }
    const [first = ''] = orderIds
    const underWay = await store.findUnderWay(db, institute.id, first)
    const opened = underWay === null ? null : await withGroup(ctx, institute, underWay)
    if (opened !== null && opened.orders.length === orderIds.length) return opened
    if (account === null) throw await refusedWay(ctx, institute.id, orders, mode)
  }
  throw conflict('One of these is being paid by itself at this moment.')
}

/** The payment with all that are paid with it. */
async function withGroup(
  ctx: PaymentContext,
  institute: Institute,
  underWay: Payment,
): Promise<OpenedPayments> {
  const { paymentId } = atProvider(underWay)
  const payments =
    underWay.groupId === null ? [underWay] : await listAtProvider(ctx.db, institute.id, paymentId)
  const orders: OrderToPay[] = []
  for (const { orderId } of payments) {
    const order = await findOrder(ctx, institute, orderId)
    assert(order !== null, `the payment ${paymentId} lost its order`)
    orders.push(order)
  }
  return { payments, orders }
}

async function requirePayable(
  ctx: PaymentContext,
  institute: Institute,
  asked: string | OrderToPay,
  now: Date,
): Promise<OrderToPay> {
  const order = typeof asked === 'string' ? await findOrder(ctx, institute, asked) : asked
  if (order === null) throw notFound('This order')
  const state = stateAt(order, now)
  if (state !== 'unpaid') throw conflict(`No payment can start: it is ${state}.`)
  if ((await ctx.paymentHandlers[order.kind].mayStart?.(institute.id, order)) === false)
    throw conflict('No payment can start: what was due has changed.')
  return order
}

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

/** The ways to pay orders at once that their branches' account offers; null when it cannot take them. */
export async function readWays(
  ctx: Pick<PaymentContext, 'accounts'>,
  instituteId: number,
  orders: readonly OrderToPay[],
): Promise<Ways | null> {
  const account = await openAccount(ctx, instituteId, orders)
  return account === null ? null : waysFor(account, totalOfAll(orders))
}

/** The account that all of it goes through and that can settle each line where it belongs. */
async function openAccount(
  ctx: Pick<PaymentContext, 'accounts'>,
  instituteId: number,
  orders: readonly OrderToPay[],
): Promise<Account | null> {
  const account = await commonAccount(ctx.accounts, instituteId, orders)
  if (account === null) return null
  const lines = orders.flatMap(order => order.lines)
  return (await findClosed(ctx, instituteId, account, lines)).length === 0 ? account : null
}

/** The account that money goes through, if it offers this way. */
async function accountToPay(
  ctx: Pick<PaymentContext, 'accounts'>,
  instituteId: number,
  orders: readonly OrderToPay[],
  mode: PaymentMode,
): Promise<Account | null> {
  const account = await openAccount(ctx, instituteId, orders)
  if (account === null) return null
  return waysFor(account, totalOfAll(orders)).offered.some(way => way.mode === mode) ? account : null
}

/** Why these cannot be paid in this way. */
async function refusedWay(
  ctx: Pick<PaymentContext, 'accounts'>,
  instituteId: number,
  orders: readonly OrderToPay[],
  mode: PaymentMode,
): Promise<Error> {
  const ways = await readWays(ctx, instituteId, orders)
  if (ways !== null) return conflict(wayRefusal(ways, mode, totalOfAll(orders)))
  const account = await commonAccount(ctx.accounts, instituteId, orders)
  const lines = orders.flatMap(order => order.lines)
  const [closed] = account === null ? [] : await findClosed(ctx, instituteId, account, lines)
  if (closed !== undefined) return conflict(`${readableComponent(closed.componentType)} ${closed.why}.`)
  return conflict(
    orders.length === 1
      ? 'Online payment is not set up for this installation.'
      : 'These cannot be paid at once: they go to different accounts.',
  )
}

function totalOfAll(orders: readonly OrderToPay[]): Paise {
  return sumPaise(orders.map(totalOf))
}

/** Where what these branches are paid goes; null when nothing is set up, or their money goes to different accounts. */
export async function commonAccount(
  accounts: PaymentContext['accounts'],
  instituteId: number,
  branches: readonly Pick<OrderToPay, 'collectorCode'>[],
): Promise<Account | null> {
  const codes = [...new Set(branches.map(({ collectorCode }) => collectorCode))]
  const found: (Account | null)[] = []
  for (const collectorCode of codes)
    found.push(await accounts.accountFor({ instituteId, collectorCode }, 'payments'))
  const [first = null] = found
  return found.every(account => account?.id === first?.id) ? first : null
}

/** Whether new payments of a branch can be taken at all. */
export async function takesPayments(
  { accounts }: Pick<PaymentContext, 'accounts'>,
  branch: BranchKey,
): Promise<boolean> {
  return (await accounts.accountFor(branch, 'payments')) !== null
}
