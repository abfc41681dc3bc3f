import type { Application, LoanState } from '../../../src/loans/loans.rules.ts'
import { paiseOf } from '../../../src/platform/money.ts'

export const AT = new Date('2026-11-15T04:30:00Z')

export function application(state: LoanState, changes: Partial<Application> = {}): Application {
  return {
    instituteId: 1,
    id: 'loan_1',
    studentId: 'student_1',
    collectorCode: 'MAIN',
    lender: 'sandbox',
    lenderTitle: 'Sandbox Lender',
    offer: null,
    replacedOffers: [],
    lenderProblem: null,
    acceptedAt: null,
    acceptanceSentAt: null,
    acceptance: null,
    lenderRef: 'lend_1',
    lenderUrl: null,
    state,
    askedPaise: paiseOf(100),
    amountPaise: paiseOf(100),
    reason: null,
    createdAt: AT,
    sentAt: AT,
    borrower: { name: 'Asha Rao', phone: '9876543210', email: 'asha@example.in', student: 'Kabir Rao' },
    filledAt: null,
    approvedAt: null,
    signedAt: null,
    endedAt: null,
    expiresAt: new Date(AT.getTime() + 30 * 86_400_000),
    ending: null,
    nextCheckAt: null,
    checks: 0,
    ...changes,
  }
}
