import type { BankLineAnswer } from '../../../../../src/banking/statements/bank-line.list.ts'
import type { ExpectedMoneyAnswer } from '../../../../../src/banking/statements/statement.schemas.ts'
import { formatRupees } from '../../../ui/money.tsx'
import type { Tone } from '../../../ui/status-badge.tsx'

export const LINE_LABELS: Record<BankLineAnswer['state'], { label: string; tone: Tone }> = {
  open: { label: 'To decide', tone: 'waiting' },
  matched: { label: 'Matched', tone: 'good' },
  other: { label: 'Other', tone: 'plain' },
}

export const KIND_LABELS: Record<ExpectedMoneyAnswer['kind'], string> = {
  settlement: 'Settlement',
  deposit: 'Deposit',
  cheque: 'Cheque',
  cheque_return: 'Returned cheque',
  transfer: 'Recorded payment',
  refund: 'Refund',
  lender: 'Lender',
}

/** "₹500.00 in", "₹118.00 out". */
export function formatBooked(amount: number): string {
  return `${formatRupees(Math.abs(amount))} ${amount < 0 ? 'out' : 'in'}`
}

/** Whatever shows lines, money that is expected, cheques or dues. */
export const AFTER_DECISION = [
  'bank-lines',
  'bank-status',
  'bank-missing',
  'bank-candidates',
  'cheques',
  'deposits',
  'student',
  'students',
  'money-receipts',
  'audit',
]
