import type { OrderDetailAnswer } from '../../../../../src/console/orders/order.schemas.ts'

/** What a fee of an order is called on its lines; several lines of one fee may each have their own name. */
export function feeName({ details }: Pick<OrderDetailAnswer, 'details'>, component: string): string {
  const names = new Set(details.filter(line => line.component_type === component).map(line => line.label))
  return names.size === 0 ? component : [...names].join(', ')
}
