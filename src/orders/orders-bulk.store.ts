import type { Transaction } from '../platform/db.ts'
import type { Order } from './orders.rules.ts'
import { orderLines, orders } from './orders.store.ts'

/** An order that a feature makes by itself: for a student, or of a public page. */
export type PlannedOrder = {
  instituteId: number
  order: Order
  studentId: string | null
  pageId?: string | undefined
}

const plannedOrders = orders.with<{ instituteId: number; studentId: string | null; pageId: string | null }>({
  instituteId: 'int',
  studentId: 'text',
  pageId: 'text',
})
const plannedLines = orderLines.with<{ instituteId: number; orderId: string; lineNo: number }>({
  instituteId: 'int',
  orderId: 'text',
  lineNo: 'int',
})

/** Any number of orders with their lines. */
export async function insertOrders(tx: Transaction, planned: readonly PlannedOrder[]): Promise<void> {
  const lines = planned.flatMap(({ instituteId, order }) =>
    order.lines.map((line, index) => ({ ...line, instituteId, orderId: order.id, lineNo: index + 1 })),
  )
  const rows = planned.map(({ order, pageId = null, ...rest }) => ({ ...order, ...rest, pageId }))
  // Both leave together: one round trip.
  await Promise.all([plannedOrders.insert(tx, rows), plannedLines.insert(tx, lines)])
}
