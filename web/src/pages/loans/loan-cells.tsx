import type { LoanRowAnswer } from '../../../../src/console/loans/loan.list.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { When } from '../../ui/when.tsx'
import { LOAN_LABELS } from './texts.ts'

/** Cells of the list that the institute and the lender share. */
export const LOAN_CELLS = {
  borrower: (row: LoanRowAnswer) => (
    <>
      {row.borrower}
      <div className="faint">for {row.student}</div>
    </>
  ),
  status: (row: LoanRowAnswer) => (
    <>
      <StatusBadge tone={LOAN_LABELS[row.status].tone}>{LOAN_LABELS[row.status].label}</StatusBadge>
      {row.transfers_to_confirm > 0 && (
        <div>
          <StatusBadge tone="waiting">Transfer to confirm</StatusBadge>
        </div>
      )}
    </>
  ),
  created_at: (row: LoanRowAnswer) => <When at={row.sent_at ?? row.created_at} />,
}
