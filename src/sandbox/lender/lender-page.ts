import { emiOf } from '../../loans/loans.rules.ts'
import { SANDBOX_TERMS, type LenderAct, type LenderLoan } from './simulator.rules.ts'
import { formatRupees, paiseOf, subtractPaise } from '../../platform/money.ts'

/** What the sandbox lender's page of a loan shows, and what its buttons ask of the lender. */
const BUTTONS: ReadonlyMap<string, LenderAct> = new Map([
  ['fill', { kind: 'fill' }],
  ['approve', { kind: 'approve' }],
  ['reject', { kind: 'reject' }],
  ['sign', { kind: 'sign' }],
  ['cancel', { kind: 'cancel' }],
])

const STATES: Record<LenderLoan['state'], string | undefined> = {
  open: undefined,
  filled: 'Your form is here, and the lender decides about it.',
  approved: undefined,
  rejected: 'The lender did not approve this loan. Nothing is owed.',
  signed: 'You have signed the agreement. The lender pays the institute, and you pay the lender back.',
  canceled: 'This application was withdrawn. Nothing is owed.',
  expired: 'This application has lapsed. Nothing is owed.',
}

export function lenderActOf(text: string | undefined): LenderAct | undefined {
  return BUTTONS.get(text ?? '')
}

export function describeLenderPage(loan: LenderLoan, institute: string): Record<string, unknown> {
  const { state, borrower, askedPaise, approvedPaise } = loan
  const amountPaise = approvedPaise ?? askedPaise
  const emiPaise = emiOf(amountPaise, SANDBOX_TERMS)
  const totalPaise = paiseOf(emiPaise * SANDBOX_TERMS.months)
  return {
    heading: state === 'approved' ? 'Your offer' : 'Education loan',
    amount: formatRupees(amountPaise),
    institute,
    description: loan.description,
    borrower,
    state,
    stateText: STATES[state],
    offer: [
      { label: 'Interest a year', value: `${SANDBOX_TERMS.yearlyRatePercent} %` },
      { label: 'Paid back in', value: `${SANDBOX_TERMS.months} months` },
      { label: 'EMI', value: formatRupees(emiPaise) },
      { label: 'Interest in all', value: formatRupees(subtractPaise(totalPaise, amountPaise)) },
      { label: 'Other charges', value: 'none' },
      { label: 'You pay back in all', value: formatRupees(totalPaise) },
    ],
    returnUrl: loan.returnUrl,
    reference: loan.ref,
  }
}
