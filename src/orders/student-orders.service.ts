import type { Context } from '../platform/context.ts'
import type { Order } from './orders.rules.ts'
import { listOrdersOf } from './student-orders.store.ts'

/** What was begun to be paid of a student's dues, newest first. */
export async function listDuesOrders(
  { db }: Context,
  instituteId: number,
  studentId: string,
  limit: number,
): Promise<Order[]> {
  return listOrdersOf(db, { instituteId, studentId, kind: 'student' }, limit)
}
