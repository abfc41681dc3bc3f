import type { DisputeAnswer } from '../../../../src/payments/disputes/dispute.list.ts'
import { useInstitutePath } from '../../api/session.ts'
import { formatRupees, Money } from '../../ui/money.tsx'
import { providerName } from '../../ui/provider-name.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { ListTable } from '../../ui/table/list-table.tsx'
import type { Column } from '../../ui/table/rows.tsx'
import { When } from '../../ui/when.tsx'
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

const CELLS = {
  respond_by: (row: DisputeAnswer) =>
    row.needs_answer && row.respond_by !== undefined ? (
      <strong>
        <When at={row.respond_by} />
      </strong>
    ) : null,
  status: (row: DisputeAnswer) => (
    <>
      <StatusBadge tone={STATUSES[row.status].tone}>{STATUSES[row.status].label}</StatusBadge>
      <div className="faint">
        opened <When at={row.opened_at} />
      </div>
    </>
  ),
  amount: (row: DisputeAnswer) => (
    <strong>
      <Money rupees={row.amount} />
    </strong>
  ),
  payer: (row: DisputeAnswer) => (
    <>
      {[row.payer, row.student_name].filter(Boolean).join(', ')}
      <div className="faint nowrap">
        <OrderLink id={row.order_id}>Order</OrderLink>, {modeLabel(row.mode)}
      </div>
    </>
  ),
}

const WHAT_TO_DO: Column<DisputeAnswer> = {
  key: 'do',
  title: 'What to do',
  text: row => `${whatToDo(row)} ${row.reason.message}`,
  render: row => (
    <>
      {whatToDo(row)}
      <div className="faint">The bank’s reason: {row.reason.message}</div>
    </>
  ),
}

const LABELS = { status: STATUSES, needs_answer: { yes: { label: 'Still to be answered' } } }

export function DisputesView() {
  return (
    <ListTable<DisputeAnswer>
      name="Disputes"
      path={`${useInstitutePath()}/money/disputes`}
      queryKey="money-disputes"
      labels={LABELS}
      cells={CELLS}
      more={[WHAT_TO_DO]}
      rowId={row => row.id}
      empty={{
        title: 'No disputes',
        description:
          'When a payer questions a payment at the bank, it is listed here with the day until which it can be answered at the payment provider. While it is open its amount is held.',
      }}
    />
  )
}
