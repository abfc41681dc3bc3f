import type { EventCode } from '../events/codes.ts'
import type { PayloadOf } from '../events/payloads.ts'
import type { NewEvent } from '../events/events.service.ts'
import { toRupees } from '../platform/money.ts'
import type { StudentContext } from '../students/student-contexts.service.ts'
import type { Application, Emi, Tranche } from './loans.rules.ts'

/** Applications, tranches and EMIs in event payloads. */
function applicationBlock(application: Application, lenderTitle: string) {
  return {
    id: application.id,
    status: application.state,
    amount: toRupees(application.amountPaise),
    agreement_signed_at: application.signedAt?.toISOString(),
    lender: lenderTitle,
  }
}

export function disbursementBlock(tranche: Tranche) {
  const { id, plannedOn, amountPaise, disbursedPaise, state, settlementUtr } = tranche
  return {
    id,
    date: plannedOn,
    amount: toRupees(amountPaise),
    disbursed_amount: disbursedPaise === null ? undefined : toRupees(disbursedPaise),
    is_disbursed: state === 'disbursed',
    settlement_utr: settlementUtr ?? undefined,
  }
}

export function emiBlock(emi: Emi) {
  return {
    id: emi.id,
    due_date: emi.dueOn,
    paid_at: emi.paidAt.toISOString(),
    amount: toRupees(emi.amountPaise),
  }
}

type LoanEventCode = Extract<EventCode, `cred.${string}`>

/** The fields that every loan event has, and those of this event code. */
export function loanEvent<Code extends LoanEventCode>(
  code: Code,
  application: Application,
  {
    student,
    lenderTitle,
    at,
    ...extras
  }: { student: StudentContext; lenderTitle: string; at: Date } & Omit<
    PayloadOf<Code>,
    'service_student_id' | 'registration_id' | 'student' | 'application'
  >,
): NewEvent {
  return {
    code,
    instituteId: application.instituteId,
    collectorCode: application.collectorCode,
    resourceId: application.id,
    occurredAt: at,
    payload: { ...student.identity, application: applicationBlock(application, lenderTitle), ...extras },
  }
}
