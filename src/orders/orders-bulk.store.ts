import type { Transaction } from '../platform/db/database.ts'
import type { Order } from './orders.rules.ts'
import { orderLines, orders } from './orders.store.ts'

/** An order that a feature makes by itself: for a student, or of a public page. */
export type PlannedOrder = { instituteId: number; order: Order }

const ordersOfInstitutes = orders.with<{ instituteId: number }>({ instituteId: 'int' })
const linesOfOrders = orderLines.with<{ instituteId: number; orderId: string; lineNo: number }>({
  instituteId: 'int',
  orderId: 'text',
  lineNo: 'int',
})

/** Any number of orders with their lines, in two statements that leave together. */
export async function insertOrders(tx: Transaction, planned: readonly PlannedOrder[]): Promise<void> {
  const lines = planned.flatMap(({ instituteId, order }) =>
    order.lines.map((line, index) => ({ ...line, instituteId, orderId: order.id, lineNo: index + 1 })),
  )
  const rows = planned.map(({ instituteId, order }) => ({ ...order, instituteId }))
  await Promise.all([ordersOfInstitutes.insert(tx, rows), linesOfOrders.insert(tx, lines)])
}
