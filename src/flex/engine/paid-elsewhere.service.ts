import type { OnTheWay } from '../../payments/on-the-way.rules.ts'
import { heldUntil } from '../../payments/payments.rules.ts'
import { listOnTheWay, listStarted } from '../../payments/student-payments.service.ts'
import { dayOf, addDays } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { withdrawNotice } from '../rules/plan-in-change.rules.ts'
import type { PlanChanges } from '../plans/plan-changes.service.ts'
import type { LockedPlans } from '../plans/with-plans.service.ts'
import { firstDayFor } from '../rules/debit.rules.ts'
import type { Instalment } from '../rules/plan.rules.ts'
import { isPaidBy } from '../rules/rebalance.rules.ts'
import { addAll } from '../../platform/lists.ts'

/** A debit that is at the bank, and a down payment, pay their own instalments. */
const PAYS_ITS_OWN: readonly OnTheWay['orderKind'][] = ['instalment', 'downpayment']

/** Reads, by student, what is on the way to the same fees and what somebody pays at the bank's page at this moment. */
export async function readPaidElsewhere(
  tx: Transaction,
  plans: LockedPlans,
): Promise<Map<string, OnTheWay[]>> {
  const byInstitute = Map.groupBy(plans.values(), ({ plan }) => plan.instituteId)
  const found: OnTheWay[] = []
  for (const [instituteId, some] of byInstitute) {
    const ids = some.map(({ plan }) => plan.studentId)
    const now = some[0]?.now ?? new Date(0)
    const started = await listStarted(tx, instituteId, ids)
    const held = started.filter(payment => heldUntil(payment) > now)
    addAll(found, await listOnTheWay(tx, instituteId, ids))
    addAll(
      found,
      held.map(payment => ({ ...payment, until: dayOf(now) })),
    )
  }
  return Map.groupBy(
    found.filter(one => !PAYS_ITS_OWN.includes(one.orderKind)),
    one => one.studentId,
  )
}

/**
 * Whether a part of the instalment is being paid otherwise. Then it is not presented over that payment: it waits for the next possible
 * day, with a new notice of what is left by then.
 */
export function waitsForOthers(
  plan: PlanChanges,
  instalment: Instalment,
  paidElsewhere: readonly OnTheWay[],
): boolean {
  const today = dayOf(plan.now)
  if (!isPaidBy(plan, instalment, { expected: paidElsewhere, today })) return false
  const until = paidElsewhere.reduce((last, one) => (one.until > last ? one.until : last), today)
  const presentOn = firstDayFor(plan.contextOf(instalment), plan.rail, addDays(until, 1))
  const why = 'the same fees are being paid otherwise'
  plan.note(instalment, 'waits for another payment', `${why}, which is expected to end by ${until}`)
  withdrawNotice(plan, instalment, why, { presentOn })
  return true
}
