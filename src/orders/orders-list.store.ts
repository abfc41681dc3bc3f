import { assertNever } from '../platform/assert.ts'
import type { Queryable } from '../platform/db/database.ts'
import type { Order, PublicKind, OrderStatus } from './orders.rules.ts'
import { ORDER_COLUMNS, toOrder, type OrderRow } from './orders.store.ts'

export type OrderFilter = {
  kind: PublicKind | 'page'
  pageId?: string | undefined
  status?: OrderStatus | undefined
  identifier?: string | undefined
  collectorCode?: string | undefined
  createdFrom?: Date | undefined
  createdBefore?: Date | undefined
  note?: { key: string; value: string } | undefined
  cursor?: string | undefined
}

/** Newest first, by keyset: the cursor is the id of the last one shown. */
export async function listOrders(
  db: Queryable,
  instituteId: number,
  filter: OrderFilter,
  page: { now: Date; limit: number },
): Promise<Order[]> {
  const values: unknown[] = [instituteId, filter.kind]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const where = ['o.institute_id = $1', 'o.kind = $2']
  if (filter.status !== undefined) where.push(statusCondition(filter, () => bind(page.now)))
  if (filter.pageId !== undefined) where.push(`o.page_id = ${bind(filter.pageId)}`)
  if (filter.identifier !== undefined) where.push(`o.identifier = ${bind(filter.identifier)}`)
  if (filter.collectorCode !== undefined) where.push(`o.collector_code = ${bind(filter.collectorCode)}`)
  if (filter.createdFrom !== undefined) where.push(`o.created_at >= ${bind(filter.createdFrom)}`)
  if (filter.createdBefore !== undefined) where.push(`o.created_at < ${bind(filter.createdBefore)}`)
  if (filter.note !== undefined) {
    where.push(`o.notes <> '[]' and o.notes @> ${bind(JSON.stringify([filter.note]))}::jsonb`)
  }
  if (filter.cursor !== undefined) {
    where.push(`(o.created_at, o.id) < (select c.created_at, c.id from orders c
      where c.institute_id = $1 and c.id = ${bind(filter.cursor)})`)
  }
  const rows = await db.query<OrderRow>(
    `select ${ORDER_COLUMNS} from orders o where ${where.join(' and ')}
     order by o.created_at desc, o.id desc limit ${bind(page.limit)}`,
    values,
  )
  return rows.map(toOrder)
}

function statusCondition({ kind, status }: OrderFilter, bindNow: () => string): string {
  switch (status) {
    case 'unpaid':
      return kind === 'link'
        ? `o.state = 'unpaid' and (o.expires_at is null or o.expires_at > ${bindNow()})`
        : `o.state <> 'paid'`
    case 'expired':
      return `(o.state = 'expired' or (o.state = 'unpaid' and o.expires_at <= ${bindNow()}))`
    case 'cancelled':
      return `o.state = 'cancelled'`
    case 'paid':
      return `o.state = 'paid'`
    case undefined:
      return 'true'
    default:
      return assertNever(status)
  }
}
