import { isHere } from '../platform/db/query.ts'
import type { Database, Transaction } from '../platform/db/database.ts'
import { findDue } from '../platform/jobs/claim.ts'
import { nameRows, type RowKey } from '../platform/db/named-rows.ts'
import type { Order } from './orders.rules.ts'
import { orderColumns, toOrder, type OrderRow } from './orders.store.ts'

const HAS_EXPIRED = `state = 'unpaid' and expires_at is not null and expires_at <= $1`

/** Unpaid ones past their expiry. */
export async function findExpired(db: Database, now: Date, limit: number): Promise<RowKey[]> {
  return findDue(db, { table: 'orders', where: HAS_EXPIRED, order: 'expires_at' }, now, limit)
}

/** Checks again that each has expired, and skips what another worker holds. */
export async function lockExpired(
  tx: Transaction,
  now: Date,
  keys: readonly RowKey[],
): Promise<{ instituteId: number; order: Order; expiresAt: Date }[]> {
  const these = nameRows(keys, 2)
  const rows = await tx.query<OrderRow & { instituteId: number; expiresAt: Date }>(
    `select o.institute_id as "instituteId", ${orderColumns(these.institute('o'))} from orders o
     where ${these.match('o')} and ${HAS_EXPIRED} for update of o skip locked`,
    [now, ...these.values],
  )
  return rows.map(({ instituteId, ...row }) => ({
    instituteId,
    order: toOrder(row),
    expiresAt: row.expiresAt,
  }))
}

export async function firstExpiry(db: Database): Promise<Date | null> {
  const [row] = await db.query<{ expires_at: Date | null }>(
    `select min(expires_at) as expires_at from orders
     where state = 'unpaid' and expires_at is not null and ${isHere()}`,
  )
  return row?.expires_at ?? null
}
