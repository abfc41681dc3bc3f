import { dayOf } from '../../platform/calendar.ts'
import { badField } from '../../platform/errors.ts'
import type { ConsoleRole } from '../console.rules.ts'

/** A cashier writes down what is handed over now; what lets a family off is for others to decide. */
export function assertMayTake(
  role: ConsoleRole,
  { paidAt, waiveReason }: { paidAt: Date; waiveReason: string | null },
  now: Date,
): void {
  if (role !== 'cashier') return
  if (dayOf(paidAt) !== dayOf(now))
    throw badField('paid_at', 'must be today; an owner or finance records a payment of another day')
  if (waiveReason !== null)
    throw badField(
      'waive_late_fee_reason',
      'is for an owner or finance; take the late fee, or ask them to waive it first',
    )
}

/** Nobody counts a cashier's drawer for them, and a cashier counts nobody else's. */
export function assertOwnDrawer(role: ConsoleRole, { cashier, by }: { cashier: string; by: string }): void {
  if (role === 'cashier' && cashier !== by)
    throw badField('cashier', 'must be yourself: you close your own drawer')
}

/** Whose rows of the cash book somebody sees: a cashier their own, others all. */
export function drawersSeenBy(role: ConsoleRole, email: string): string | null {
  return role === 'cashier' ? email : null
}
