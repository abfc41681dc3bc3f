import { defineEvent, newEvent, type NewEvent, type SourceOf } from '../events/define-event.ts'
import { outputOf } from '../http/wire/output.ts'
import type { StudentContext } from '../students/student-contexts.service.ts'
import { ofStudent, type StudentInEvent } from '../students/student.events.ts'
import { disbursementBlock, emiOutput } from './loan.schemas.ts'
import type { Application, Emi, Tranche } from './loans.rules.ts'

const LOAN_ID = 'loan_01k9zq4m0ve8sbn6yt2hw3c5da'

type LoanInEvent = StudentInEvent & { application: Application }

const out = outputOf<LoanInEvent>()
const applicationBlock = out.object('LoanApplicationBlock', {
  id: out.text('Application id.', LOAN_ID, ({ application }) => application.id),
  status: out.text('State of the application.', 'disbursed', ({ application }) => application.state),
  amount: out.amount('Rupees.', 120000, ({ application }) => application.amountPaise),
  agreement_signed_at: out.optional.moment(
    'When the agreement was signed.',
    '2026-11-12T06:00:00.000Z',
    ({ application }) => application.signedAt,
  ),
  lender: out.text(
    'Name of the lender.',
    'Vidya Sample Finance',
    ({ application }) => application.lenderTitle,
  ),
})

const ofLoan = {
  ...ofStudent,
  application: out.one('The loan application.', applicationBlock, source => source),
}
const payload = out.object(ofLoan)
const signed = outputOf<LoanInEvent & { disbursements: readonly Tranche[] }>()
const signedPayload = signed.object({
  ...ofLoan,
  disbursements: signed.list('The tranches.', disbursementBlock),
})
const disbursed = outputOf<LoanInEvent & { disbursement: Tranche }>()
const disbursedPayload = disbursed.object({
  ...ofLoan,
  disbursement: disbursed.one('The tranche.', disbursementBlock),
})
const repaid = outputOf<LoanInEvent & { payment: Emi }>()
const emiPayload = repaid.object({ ...ofLoan, payment: repaid.one('The EMI.', emiOutput) })

const unsigned = (status: string) => ({ application: { status, agreement_signed_at: undefined } })
const TO_COME = { amount: 60000, is_disbursed: false }

export const loanEvents = {
  'cred.loan.application_started': defineEvent(
    'A loan application is started.',
    payload,
    unsigned('started'),
  ),
  'cred.loan.application_filled': defineEvent(
    'A loan application is filled in.',
    payload,
    unsigned('filled'),
  ),
  'cred.loan.application_expired': defineEvent('A loan application lapsed.', payload, unsigned('expired')),
  'cred.loan.rejected': defineEvent('The lender rejected the application.', payload, unsigned('rejected')),
  'cred.loan.canceled': defineEvent('The application was withdrawn.', payload, unsigned('canceled')),
  'cred.loan.final_approved': defineEvent(
    "The lender's final approval.",
    payload,
    unsigned('final_approved'),
  ),
  'cred.loan.agreement_signed': defineEvent('The loan is taken.', signedPayload, {
    application: { status: 'agreement_signed', agreement_signed_at: '2026-11-15T04:32:10.000Z' },
    disbursements: [
      { ...TO_COME, id: 'disb_01k9zq4m0ve8sbn6yt2hw3c5da', date: '2026-11-18' },
      { ...TO_COME, id: 'disb_01k9zq4m0ve8sbn6yt2hw3c5db', date: '2027-05-18' },
    ],
  }),
  'cred.loan.disbursed': defineEvent('A tranche reached the institute.', disbursedPayload),
  'cred.emi.debited': defineEvent('An EMI left the borrower.', emiPayload),
}

export type LoanEventCode = keyof typeof loanEvents

export function loanEvent<Code extends LoanEventCode>(
  code: Code,
  application: Application,
  {
    student,
    at,
    ...extras
  }: { student: StudentContext; at: Date } & Omit<
    SourceOf<(typeof loanEvents)[Code]>,
    keyof StudentInEvent | 'application'
  >,
): NewEvent {
  const { instituteId, collectorCode, id: resourceId } = application
  const about = { instituteId, collectorCode, resourceId, occurredAt: at }
  const source = { ...student, application, ...extras }
  return newEvent(loanEvents, code, about, source as unknown as SourceOf<(typeof loanEvents)[Code]>)
}
