import type { Act } from '../../emulators/lender/books.ts'
import { paiseOf } from '../../src/platform/money.ts'

export const TERMS = {
  kind: 'api',
  leastPaise: paiseOf(1_000_00),
  mostPaise: paiseOf(500_000_00),
  yearlyRateBp: 1250,
  months: 12,
} as const

const TRANCHES = [
  { date: '2026-12-01', amount: 40_000 },
  { date: '2027-01-01', amount: 20_000 },
]
/** A loan from the form to the last of three transfers. */
export const WHOLE: readonly Act[] = [
  { kind: 'fill' },
  { kind: 'approve', hasOffer: false },
  { kind: 'sanction', tranches: TRANCHES },
  { kind: 'disburse' },
  { kind: 'disburse', amount: 5_000 },
  { kind: 'emi' },
  { kind: 'disburse' },
]
/** What the ERP is told of it. */
export const EVENTS = [
  'loan.application_started',
  'loan.application_filled',
  'loan.final_approved',
  'loan.agreement_signed',
  'emi.debited',
  'loan.disbursed',
  'loan.disbursed',
  'loan.disbursed',
]
