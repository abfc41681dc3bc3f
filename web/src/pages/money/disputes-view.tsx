import type { DisputeAnswer } from '../../../../src/console/money/disputes/disputes.routes.ts'
import { useInstitutePath } from '../../api/session.ts'
import { formatRupees, Money } from '../../ui/money.tsx'
import { providerName } from '../../ui/provider-name.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { DataTable, type Column } from '../../ui/table/data-table.tsx'
import type { Filter } from '../../ui/table/use-filters.ts'
import { formatMoment, When } from '../../ui/when.tsx'
import { OrderLink } from './order-link.tsx'
import { modeLabel } from './texts.ts'

const STATUSES = {
  open: { label: 'Open', tone: 'waiting' },
  won: { label: 'Won', tone: 'good' },
  lost: { label: 'Lost', tone: 'bad' },
} as const

function whatToDo(row: DisputeAnswer): string {
  if (row.status === 'won') return 'Nothing: the payment stands.'
  if (row.status === 'lost')
    return row.charged_amount === undefined
      ? 'The money went back, and what it paid is due again.'
      : `The money went back. ${formatRupees(row.charged_amount)} of it had been refunded before.`
  return row.needs_answer
    ? `Answer ${row.provider_reference} in the dashboard of ${providerName(row.provider)}.`
    : 'It is answered; the bank decides.'
}

const COLUMNS: readonly Column<DisputeAnswer>[] = [
  {
    key: 'respond_by',
    title: 'Answer by',
    text: row => (row.needs_answer && row.respond_by !== undefined ? formatMoment(row.respond_by) : ''),
    render: row =>
      row.needs_answer && row.respond_by !== undefined ? (
        <strong>
          <When at={row.respond_by} />
        </strong>
      ) : null,
  },
  {
    key: 'status',
    title: 'Status',
    text: row => `${STATUSES[row.status].label}, opened ${formatMoment(row.opened_at)}`,
    render: row => (
      <>
        <StatusBadge tone={STATUSES[row.status].tone}>{STATUSES[row.status].label}</StatusBadge>
        <div className="faint">
          opened <When at={row.opened_at} />
        </div>
      </>
    ),
  },
  {
    key: 'amount',
    title: 'Amount',
    text: row => formatRupees(row.amount),
    render: row => (
      <strong>
        <Money rupees={row.amount} />
      </strong>
    ),
    align: 'right',
  },
  {
    key: 'payer',
    title: 'Payer, student',
    text: row => [row.payer, row.student_name].filter(Boolean).join(', '),
    render: row => (
      <>
        {[row.payer, row.student_name].filter(Boolean).join(', ')}
        <div className="faint nowrap">
          <OrderLink id={row.order_id}>Order</OrderLink>, {modeLabel(row.mode)}
        </div>
      </>
    ),
  },
  {
    key: 'do',
    title: 'What to do',
    text: row => `${whatToDo(row)} ${row.reason.message}`,
    render: row => (
      <>
        {whatToDo(row)}
        <div className="faint">The bank’s reason: {row.reason.message}</div>
      </>
    ),
  },
]

const FILTERS: readonly Filter[] = [
  { key: 'needs_answer', label: 'Answer', options: [{ value: 'yes', label: 'Still to be answered' }] },
  {
    key: 'status',
    label: 'Status',
    options: Object.entries(STATUSES).map(([value, { label }]) => ({ value, label })),
  },
  { key: 'from', label: 'Opened from', kind: 'day' },
  { key: 'to', label: 'Opened up to', kind: 'day' },
  { key: 'collector_code', label: 'Branch' },
]

export function DisputesView() {
  return (
    <DataTable<DisputeAnswer>
      name="Disputes"
      path={`${useInstitutePath()}/money/disputes`}
      queryKey="money-disputes"
      columns={COLUMNS}
      rowId={row => row.id}
      filters={FILTERS}
      empty={{
        title: 'No disputes',
        description:
          'When a payer questions a payment at the bank, it is listed here with the day until which it can be answered at the payment provider. While it is open its amount is held.',
      }}
    />
  )
}
