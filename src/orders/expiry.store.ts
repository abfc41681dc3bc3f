import type { Queryable, Transaction } from '../platform/db/database.ts'
import { findDue } from '../platform/jobs/claim.ts'
import type { RowKey } from '../platform/jobs/leased-rows.ts'
import type { Order } from './orders.rules.ts'
import { orderColumns, toOrder, type OrderRow } from './orders.store.ts'

const HAS_EXPIRED = `state = 'unpaid' and expires_at is not null and expires_at <= $1`

/** Unpaid ones past their expiry. */
export async function findExpired(db: Queryable, now: Date, limit: number): Promise<RowKey[]> {
  return findDue(db, { table: 'orders', where: HAS_EXPIRED, order: 'expires_at' }, now, limit)
}

/** Those of them that are so still, skipping what another worker holds. */
export async function lockExpired(
  tx: Transaction,
  now: Date,
  instituteId: number,
  ids: readonly string[],
): Promise<{ order: Order; expiresAt: Date }[]> {
  const rows = await tx.query<OrderRow & { expiresAt: Date }>(
    `select ${orderColumns('$2')} from orders o where o.institute_id = $2 and o.id = any($3) and ${HAS_EXPIRED}
     for update of o skip locked`,
    [now, instituteId, ids],
  )
  return rows.map(row => ({ order: toOrder(row), expiresAt: row.expiresAt }))
}

export async function firstExpiry(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ expires_at: Date | null }>(
    `select min(expires_at) as expires_at from orders where state = 'unpaid' and expires_at is not null`,
  )
  return row?.expires_at ?? null
}
