import type { Queryable } from '../platform/db/database.ts'
import type { Order, OrderKind } from './orders.rules.ts'
import { orderColumns, toOrder, type OrderRow } from './orders.store.ts'

/** Orders of these kinds that a payer could still pay for these students at this moment, the newest first. */
export async function listOpenOf(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
  { kinds, now }: { kinds: readonly OrderKind[]; now: Date },
): Promise<Order[]> {
  const rows = await db.query<OrderRow>(
    `select ${orderColumns('$1')} from orders o
     where o.institute_id = $1 and o.student_id = any($2) and o.kind = any($3) and o.state = 'unpaid'
       and (o.expires_at is null or o.expires_at > $4)
     order by o.created_at desc, o.id desc`,
    [instituteId, studentIds, kinds, now],
  )
  return rows.map(toOrder)
}

/** Newest first. */
export async function listOrdersOf(
  db: Queryable,
  target: { instituteId: number; studentId: string; kind: OrderKind },
  limit: number,
): Promise<Order[]> {
  const rows = await db.query<OrderRow>(
    `select ${orderColumns('$1')} from orders o where o.institute_id = $1 and o.student_id = $2 and o.kind = $3
     order by o.created_at desc, o.id desc limit $4`,
    [target.instituteId, target.studentId, target.kind, limit],
  )
  return rows.map(toOrder)
}
