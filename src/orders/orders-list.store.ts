import { assertNever } from '../platform/assert.ts'
import type { Queryable } from '../platform/db/database.ts'
import { list, type Condition, type Page, type PageRange } from '../platform/db/list.ts'
import type { Order, OrderKind, OrderStatus } from './orders.rules.ts'
import { orderColumns, toOrder, type OrderRow } from './orders.store.ts'

export type OrderFilter = {
  kind: OrderKind
  pageId?: string | undefined
  studentId?: string | undefined
  status?: OrderStatus | undefined
  identifier?: string | undefined
  collectorCode?: string | undefined
  createdFrom?: Date | undefined
  createdBefore?: Date | undefined
  note?: { key: string; value: string } | undefined
}

/** Newest first. A cursor is an order of this kind, and of this page. */
export async function listOrders(
  db: Queryable,
  instituteId: number,
  filter: OrderFilter,
  { now, ...page }: PageRange & { now: Date },
): Promise<Page<Order>> {
  const found = await list<OrderRow>(
    db,
    {
      select: orderColumns('$1'),
      from: 'orders o',
      scope: [
        ['o.institute_id = $1', instituteId],
        ['o.kind = $1', filter.kind],
        ['o.page_id = $1', filter.pageId],
      ],
      filters: [
        statusCondition(filter, now),
        ['o.student_id = $1', filter.studentId],
        ['o.identifier = $1', filter.identifier],
        ['o.collector_code = $1', filter.collectorCode],
        ['o.created_at >= $1', filter.createdFrom],
        ['o.created_at < $1', filter.createdBefore],
        [`o.notes <> '[]' and o.notes @> $1::jsonb`, filter.note && JSON.stringify([filter.note])],
      ],
      order: ['created_at', 'id'],
      direction: 'desc',
    },
    page,
  )
  return { ...found, rows: found.rows.map(toOrder) }
}

function statusCondition({ kind, status }: OrderFilter, now: Date): Condition {
  switch (status) {
    case 'unpaid':
      return kind === 'link'
        ? [`o.state = 'unpaid' and (o.expires_at is null or o.expires_at > $1)`, now]
        : [`o.state <> 'paid'`]
    case 'expired':
      return [`o.state = 'expired' or (o.state = 'unpaid' and o.expires_at <= $1)`, now]
    case 'cancelled':
    case 'paid':
      return [`o.state = '${status}'`]
    case undefined:
      return undefined
    default:
      return assertNever(status)
  }
}
