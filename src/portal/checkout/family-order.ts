import type { Order, OrderState } from '../../orders/orders.rules.ts'
import { sumPaise } from '../../platform/money.ts'

/** What the checkout shows of several orders that are paid at once; null without any. */
export function asOneOrder(id: string, orders: readonly Order[]): Order | null {
  const [first] = orders
  if (first === undefined) return null
  return {
    ...first,
    id,
    state: stateOf(orders),
    studentName: orders.map(order => order.studentName ?? order.identifier ?? '').join(', '),
    identifier: null,
    grade: null,
    lines: orders.flatMap(order => order.lines),
    refundedPaise: sumPaise(orders.map(order => order.refundedPaise)),
    receipt: null,
  }
}

/** Once one of them was paid or closed by itself, they are not paid at once any more. */
function stateOf(orders: readonly Order[]): OrderState {
  const states = new Set(orders.map(order => order.state))
  const [only] = states
  return states.size === 1 && only !== undefined ? only : 'cancelled'
}
