import type { EventCode } from '../../events/codes.ts'
import type { PayloadOf } from '../../events/payloads.ts'
import type { NewEvent } from '../../events/events.service.ts'
import { toRupees } from '../../platform/money.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import { sumsOf, type LoadedPlan } from '../rules/plan.rules.ts'

function subscriptionBlock(loaded: LoadedPlan) {
  const { totalPaise, paidPaise } = sumsOf(loaded)
  return {
    id: loaded.plan.id,
    // A down payment is taken while the set-up is under way.
    status: loaded.plan.state === 'draft' ? ('setup' as const) : loaded.plan.state,
    product_name: loaded.plan.productName,
    total_amount: toRupees(totalPaise),
    paid_amount: toRupees(paidPaise),
  }
}

export type FlexEventCode = Extract<EventCode, `flex.${string}`>

/** What an event adds to what every event of a plan carries. */
export type EventExtras<Code extends FlexEventCode> = Omit<
  PayloadOf<Code>,
  'service_student_id' | 'registration_id' | 'student' | 'subscription'
>

export function flexEvent<Code extends FlexEventCode>(
  code: Code,
  loaded: LoadedPlan & { student: StudentContext; now: Date },
  extras: EventExtras<Code>,
): NewEvent {
  const { instituteId, collectorCode, id: resourceId } = loaded.plan
  const payload = { ...loaded.student.identity, subscription: subscriptionBlock(loaded), ...extras }
  return { code, instituteId, collectorCode, resourceId, occurredAt: loaded.now, payload }
}
