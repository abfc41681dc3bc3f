import type { LoanRowAnswer } from '../../../../src/console/loans/loan.list.ts'
import type { Tone } from '../../ui/status-badge.tsx'

type Label = { label: string; tone: Tone }

export const LOAN_LABELS: Readonly<Record<LoanRowAnswer['status'], Label>> = {
  started: { label: 'Started', tone: 'plain' },
  filled: { label: 'Applied', tone: 'waiting' },
  final_approved: { label: 'Approved', tone: 'waiting' },
  agreement_signed: { label: 'Sanctioned', tone: 'waiting' },
  disbursed: { label: 'Disbursed', tone: 'good' },
  rejected: { label: 'Rejected', tone: 'bad' },
  canceled: { label: 'Cancelled', tone: 'plain' },
  expired: { label: 'Lapsed', tone: 'plain' },
}

const { started: _notSent, ...sentOnes } = LOAN_LABELS
/** A lender sees an application from the family's consent on. */
export const DESK_LABELS: Readonly<Record<string, Label>> = sentOnes

export const TRANCHE_LABELS = {
  planned: { label: 'Planned', tone: 'plain' },
  paid_out: { label: 'Transferred by the lender', tone: 'waiting' },
  received: { label: 'Received', tone: 'waiting' },
  disbursed: { label: 'In the bank account', tone: 'good' },
  failed: { label: 'Did not arrive', tone: 'bad' },
} as const satisfies Record<string, Label>
