import type { Context } from '../platform/context.ts'
import type { Order } from './orders.rules.ts'
import type { Queryable } from '../platform/db/database.ts'
import { listOpenOf, listOrdersOf } from './student-orders.store.ts'

/** What was begun to be paid of a student's dues, newest first. */
export async function listDuesOrders(
  { db }: Context,
  instituteId: number,
  studentId: string,
  limit: number,
): Promise<Order[]> {
  return listOrdersOf(db, { instituteId, studentId, kind: 'student' }, limit)
}

/** What a payer could still pay for these students: of their dues, or by an order or link that names one. */
export async function listPayable(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
  now: Date,
): Promise<Order[]> {
  return listOpenOf(db, instituteId, studentIds, { kinds: ['student', 'order', 'link'], now })
}
