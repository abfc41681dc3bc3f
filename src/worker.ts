import { expireOrders, nextExpiry } from './orders/orders.service.ts'
import type { DueWork } from './platform/due-work.ts'
import type { Ground } from './platform/ground.ts'
import { forgetOldAnswers } from './platform/idempotency.ts'

/** The catalogue of due work: a name and one service call each. */
export function dueWork(ground: Ground): DueWork[] {
  return [
    {
      name: 'orders_expired',
      runBatch: limit => expireOrders(ground, limit),
      nextAt: () => nextExpiry(ground),
    },
    {
      name: 'answers_forgotten',
      runBatch: limit => forgetOldAnswers(ground.db, limit),
      nextAt: async () => null,
    },
  ]
}
