import type { LoanRowAnswer } from '../../../../src/console/loans/loan.output.ts'
import { Money } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import type { Filter } from '../../ui/table/use-filters.ts'
import { formatMoment, When } from '../../ui/when.tsx'
import { DESK_OPTIONS, LOAN_LABELS, LOAN_OPTIONS } from './texts.ts'

/** The columns that the institute and the lender share; between them stands who the other side is. */
export function loanColumns(other: Column<LoanRowAnswer>): readonly Column<LoanRowAnswer>[] {
  return [
    {
      key: 'student',
      title: 'Family',
      text: row => `${row.borrower} for ${row.student}`,
      render: row => (
        <>
          {row.borrower}
          <div className="faint">for {row.student}</div>
        </>
      ),
    },
    other,
    {
      key: 'status',
      title: 'State',
      text: row => LOAN_LABELS[row.status].label,
      render: row => (
        <>
          <StatusBadge tone={LOAN_LABELS[row.status].tone}>{LOAN_LABELS[row.status].label}</StatusBadge>
          {row.transfers_to_confirm > 0 && (
            <div>
              <StatusBadge tone="waiting">Transfer to confirm</StatusBadge>
            </div>
          )}
        </>
      ),
    },
    {
      key: 'amount',
      title: 'Amount',
      align: 'right',
      text: row => String(row.amount),
      render: row => <Money rupees={row.amount} />,
    },
    {
      key: 'at',
      title: 'Since',
      text: row => formatMoment(row.sent_at ?? row.created_at),
      render: row => <When at={row.sent_at ?? row.created_at} />,
    },
  ]
}

const filterBy = (options: NonNullable<Filter['options']>): readonly Filter[] => [
  { key: 'status', label: 'State', options },
  { key: 'search', label: 'Name or application id' },
]
export const LOAN_FILTERS = filterBy(LOAN_OPTIONS)
export const DESK_FILTERS = filterBy(DESK_OPTIONS)
