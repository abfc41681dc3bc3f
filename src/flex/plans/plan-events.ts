import type { EventCode } from '../../events/codes.ts'
import type { PayloadOf } from '../../events/payloads.ts'
import type { NewEvent } from '../../events/events.service.ts'
import { sumPaise, toRupees, type Paise } from '../../platform/money.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import type { Instalment, Mandate, LoadedPlan } from '../rules/plan.rules.ts'
import { sumLines } from '../rules/schedule.rules.ts'

/** Plans, instalments and mandates as events and answers carry them. */
export function scheduleRowBlock(instalment: Instalment) {
  return {
    id: instalment.id,
    due_date: instalment.dueOn,
    amount: toRupees(sumLines(instalment.lines)),
    is_downpayment: instalment.isDownpayment,
    status: instalment.state,
    reference_id: instalment.referenceId ?? undefined,
    details: instalment.lines.map(line => ({
      component_type: line.componentType,
      amount: toRupees(line.amountPaise),
    })),
  }
}

export function instalmentBlock(instalment: Instalment) {
  return {
    ...scheduleRowBlock(instalment),
    attempt: instalment.attempt,
    presented_on: instalment.presentedOn ?? undefined,
  }
}

export function mandateBlock(mandate: Mandate) {
  return {
    id: mandate.id,
    rail: mandate.rail,
    status: mandate.state,
    umrn: mandate.umrn ?? undefined,
    upi_reference: mandate.upiReference ?? undefined,
    max_amount: toRupees(mandate.capPaise),
    start_date: mandate.startOn,
    end_date: mandate.endOn,
    npci_category_code: (mandate.npciCategory ?? undefined) as NpciCategory | undefined,
  }
}

type NpciCategory = 'account_not_active' | 'bank_kyc_pending' | 'customer_revoked' | 'mandate_error'

function isPaid({ state }: Instalment): boolean {
  return state === 'debited' || state === 'settled'
}

/** What the plan takes in all and what has come of it; money that came otherwise is not the plan's. */
export function sumsOf({ instalments }: Pick<LoadedPlan, 'instalments'>): {
  totalPaise: Paise
  paidPaise: Paise
} {
  const sum = (wanted: (instalment: Instalment) => boolean): Paise =>
    sumPaise(instalments.filter(wanted).map(instalment => sumLines(instalment.lines)))
  return { totalPaise: sum(({ state }) => state !== 'cancelled'), paidPaise: sum(isPaid) }
}

function subscriptionBlock(file: LoadedPlan) {
  const { totalPaise, paidPaise } = sumsOf(file)
  return {
    id: file.plan.id,
    // A down payment is taken while the set-up is under way.
    status: file.plan.state === 'draft' ? ('setup' as const) : file.plan.state,
    product_name: file.plan.productName,
    total_amount: toRupees(totalPaise),
    paid_amount: toRupees(paidPaise),
  }
}

type FlexCode = Extract<EventCode, `flex.${string}`>

/** What every event of a plan carries, and what this one adds. */
export function flexEvent<Code extends FlexCode>(
  code: Code,
  file: LoadedPlan,
  {
    student,
    at,
    ...extras
  }: { student: StudentContext; at: Date } & Omit<
    PayloadOf<Code>,
    'service_student_id' | 'registration_id' | 'student' | 'subscription'
  >,
): NewEvent {
  return {
    code,
    instituteId: file.plan.instituteId,
    collectorCode: file.plan.collectorCode,
    resourceId: file.plan.id,
    occurredAt: at,
    payload: { ...student.identity, subscription: subscriptionBlock(file), ...extras },
  }
}
