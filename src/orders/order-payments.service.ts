import { assert } from '../platform/assert.ts'
import type { Transaction } from '../platform/db/database.ts'
import { carryAdvancesAgain, takeBackAdvances } from '../fees/advances/advances.service.ts'
import { recomputeBalances } from '../fees/balances.service.ts'
import { yieldToCollected } from '../students/direct-payments/plan-payments.service.ts'
import { canMove, type Order } from './orders.rules.ts'
import { insertOrders, type PlannedOrder, replaceLines } from './orders.store.ts'
import * as store from './orders.store.ts'

type Lines = readonly Pick<Order['lines'][number], 'componentType' | 'amountPaise'>[]

/** What payments do to orders, inside their own transaction. */
export async function lockOrder(tx: Transaction, instituteId: number, id: string): Promise<Order | null> {
  return store.lockOrder(tx, instituteId, id)
}

/** Locks in the order of ids, so that two who lock many cannot deadlock. */
export async function lockOrders(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
): Promise<void> {
  await store.lockOrders(tx, instituteId, ids)
}

/** The same, and as they stand then. */
export async function readLocked(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
): Promise<Order[]> {
  await store.lockOrders(tx, instituteId, ids)
  return store.findOrders(tx, instituteId, ids)
}

/** The caller holds its lock. Money wins: an expired or cancelled one becomes paid too. */
export async function markPaid(
  tx: Transaction,
  instituteId: number,
  order: Pick<Order, 'id' | 'state'>,
  { paymentId, ...paid }: { paymentId: string; transactionId: string; paidAt: Date },
): Promise<Order> {
  assert(canMove(order.state, 'paid'), `an order cannot move from ${order.state} to paid`)
  const after = await store.setPaid(tx, instituteId, order.id, paid)
  const { studentId } = after
  if (studentId !== null)
    await yieldToCollected(tx, { instituteId, studentId }, [paymentId, paid.transactionId], paid.paidAt)
  recompute(tx, instituteId, after)
  return after
}

/** The caller holds its lock; nobody has paid it. */
export async function changeLines(
  tx: Transaction,
  instituteId: number,
  { id, state }: Pick<Order, 'id' | 'state'>,
  lines: Parameters<typeof replaceLines>[3],
): Promise<void> {
  assert(state !== 'paid' && state !== 'reversed', `the lines of an order that is ${state} stay`)
  await replaceLines(tx, instituteId, id, lines)
}

/** The caller holds its lock. */
export async function markReversed(
  tx: Transaction,
  instituteId: number,
  order: Order,
  at: Date,
): Promise<Order> {
  assert(canMove(order.state, 'reversed'), `an order cannot move from ${order.state} to reversed`)
  await store.setReversed(tx, instituteId, order.id)
  await markRefunded(tx, instituteId, order, { lines: order.lines, at })
  return { ...order, state: 'reversed' }
}

/** The caller holds its lock and has changed what is refunded of it. */
export async function markRefunded(
  tx: Transaction,
  instituteId: number,
  order: Order,
  { lines, at }: { lines: Lines; at: Date },
): Promise<void> {
  const { studentId } = order
  if (studentId !== null) await takeBackAdvances(tx, { instituteId, studentId }, lines, at)
  recompute(tx, instituteId, order)
}

/** The caller holds its lock; what was to be refunded of it was not. */
export async function markRefundFailed(
  tx: Transaction,
  instituteId: number,
  order: Order,
  { lines, at }: { lines: Lines; at: Date },
): Promise<void> {
  const { studentId } = order
  if (studentId !== null) await carryAdvancesAgain(tx, { instituteId, studentId }, lines, at)
  recompute(tx, instituteId, order)
}

function recompute(tx: Transaction, instituteId: number, { studentId }: Order): void {
  if (studentId !== null) recomputeBalances(tx, instituteId, [studentId])
}

/** Orders of a plan, written in the caller's transaction, any number at once. */
export async function openOrders(tx: Transaction, orders: readonly PlannedOrder[]): Promise<void> {
  if (orders.length > 0) await insertOrders(tx, orders)
}

export type { PlannedOrder }

/** Answers the orders as they are with their settlement on every line. */
export async function markSettled(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
  settlement: { utr: string; settledAt: Date },
): Promise<Order[]> {
  await store.setSettled(tx, instituteId, ids, settlement)
  return store.findOrders(tx, instituteId, ids)
}

/** Orders whose lines have their settlements already, each its own. */
export async function readSettled(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
): Promise<Order[]> {
  return ids.length === 0 ? [] : store.findOrders(tx, instituteId, ids)
}

/** Orders that a plan no longer wants take no new payment; money that is on its way still wins. */
export async function closeUnpaid(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
  at: Date,
): Promise<void> {
  if (ids.length > 0) await store.closeUnpaid(tx, instituteId, ids, at)
}
