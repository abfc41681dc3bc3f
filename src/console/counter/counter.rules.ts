import { dayOf } from '../../platform/calendar.ts'
import { minPaise, paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
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

type DrawerDay = {
  /** Cash of families that was taken, less what was paid out to them. */
  takenPaise: Paise
  entries: readonly { kind: 'float' | 'hand_over'; amountPaise: Paise; recordedAt: Date }[]
  closings: readonly { expectedPaise: Paise; closedAt: Date }[]
}

/**
 * The cash that the books expect in a drawer, and what of it no closing has counted; below 0 what was paid out or cancelled
 * since. Cash that is handed over after a closing is what that counted first.
 */
export function cashOfDrawer({ takenPaise, entries, closings }: DrawerDay): {
  inDrawerPaise: Paise
  openPaise: Paise
} {
  const moved = entries.map(({ kind, amountPaise }) =>
    kind === 'float' ? amountPaise : subtractPaise(ZERO, amountPaise),
  )
  const inDrawerPaise = sumPaise([takenPaise, ...moved])
  const steps = [
    ...entries
      .filter(({ kind }) => kind === 'hand_over')
      .map(({ amountPaise, recordedAt: at }) => ({ at, countedPaise: ZERO, handedPaise: amountPaise })),
    ...closings.map(({ expectedPaise, closedAt: at }) => ({
      at,
      countedPaise: expectedPaise,
      handedPaise: ZERO,
    })),
  ].toSorted((one, other) => one.at.getTime() - other.at.getTime())
  let countedPaise = ZERO
  for (const step of steps) {
    countedPaise = sumPaise([countedPaise, step.countedPaise])
    const given = minPaise(step.handedPaise, paiseOf(Math.max(countedPaise, 0)))
    countedPaise = subtractPaise(countedPaise, given)
  }
  return { inDrawerPaise, openPaise: subtractPaise(inDrawerPaise, countedPaise) }
}
