import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { SettlementItemAnswer } from '../../../../../src/payments/settlements/settlement.list.ts'
import type { SettlementDetailAnswer } from '../../../../../src/payments/settlements/settlement.schemas.ts'
import { useBranchName } from '../../../api/choices.ts'
import { get } from '../../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { SumsTable } from '../../../ui/chart/sums-table.tsx'
import { ListTable } from '../../../ui/table/list-table.tsx'
import { Detail, RawJson } from '../../../ui/detail.tsx'
import { counted, formatRupees, Money } from '../../../ui/money.tsx'
import { AwaitedPage } from '../../../ui/page.tsx'
import { providerName } from '../../../ui/provider-name.ts'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { When } from '../../../ui/when.tsx'
import { MoneyTabs } from '../money-page.tsx'
import { modeLabel } from '../texts.ts'
import { readable } from '../../../ui/words.ts'
import { TableFrame } from '../../../ui/table/frame.tsx'

const signed = ({ type, amount }: SettlementItemAnswer): number => (type === 'payment' ? amount : -amount)

const WENT = { refund: 'Refund', chargeback: 'Chargeback', chargeback_fee: 'Fee of the chargeback' }

const CELLS = {
  type: (row: SettlementItemAnswer) =>
    row.type === 'payment' ? (
      <StatusBadge tone={row.is_duplicate ? 'waiting' : 'good'}>
        {row.is_duplicate ? 'Payment that goes back' : 'Payment'}
      </StatusBadge>
    ) : (
      <StatusBadge tone={row.type === 'refund' ? 'plain' : 'bad'}>{WENT[row.type]}</StatusBadge>
    ),
  student_name: (row: SettlementItemAnswer) => [row.student_name, row.identifier].filter(Boolean).join(', '),
  mode: (row: SettlementItemAnswer) => modeLabel(row.mode),
  receipt_number: (row: SettlementItemAnswer) =>
    row.receipt_number && <span className="nowrap">{row.receipt_number}</span>,
  transaction_id: (row: SettlementItemAnswer) =>
    row.transaction_id && <span className="mono">{row.transaction_id}</span>,
  amount: (row: SettlementItemAnswer) => <Money rupees={signed(row)} />,
}

export function SettlementPage() {
  const { settlement: id = '' }: Record<string, string | undefined> = useParams({ strict: false })
  const path = `${useInstitutePath()}/money/settlements/${encodeURIComponent(id)}`
  const settlement = useQuery({
    queryKey: ['money-settlement', path],
    queryFn: ({ signal }) => get<SettlementDetailAnswer>(path, {}, signal),
  })
  return (
    <>
      <MoneyTabs here="settlements" />
      {settlement.isSuccess ? (
        <Settlement settlement={settlement.data} path={path} />
      ) : (
        <AwaitedPage kind="Settlement" query={settlement} />
      )}
    </>
  )
}

function Settlement({ settlement, path }: { settlement: SettlementDetailAnswer; path: string }) {
  const { code: institute } = useInstitute()
  const branchName = useBranchName()
  return (
    <Detail
      title={`Settlement ${settlement.utr}`}
      status={<StatusBadge tone="good">Settled to bank</StatusBadge>}
      fields={[
        { label: 'Reached the bank', value: <Money rupees={settlement.net} /> },
        { label: 'Gross', value: formatRupees(settlement.gross) },
        { label: 'Charges of the provider', value: formatRupees(settlement.charges) },
        { label: 'Refunds taken off', value: formatRupees(settlement.refunds) },
        ...(settlement.chargebacks > 0
          ? [{ label: 'Of that lost in disputes', value: formatRupees(settlement.chargebacks) }]
          : []),
        { label: 'Settled', value: <When at={settlement.settled_at} /> },
        { label: 'In it', value: whatIsIn(settlement) },
        { label: 'Branch', value: branchName(settlement.collector_code) },
        { label: 'Provider', value: providerName(settlement.provider) },
        ...(settlement.bank_account === undefined
          ? []
          : [{ label: 'Bank account', value: settlement.bank_account }]),
        {
          label: 'In the ledger',
          value: (
            <Link
              to="/i/$institute/money"
              params={{ institute }}
              search={{ view: 'ledger', reference: settlement.id }}
            >
              Its entries
            </Link>
          ),
        },
      ]}
    >
      <h2 className="section-title">What it was for</h2>
      <TableFrame name="What it was for">
        <SumsTable
          title="Fee"
          amount="Amount"
          rows={settlement.components.map(row => ({
            label: readable(row.component_type),
            count: row.payment_count,
            amount: row.amount,
          }))}
        />
      </TableFrame>
      <h2 className="section-title">Payments and refunds in it</h2>
      <ListTable<SettlementItemAnswer>
        name="Payments and refunds"
        path={`${path}/items`}
        queryKey="money-settlement-items"
        cells={CELLS}
        rowId={row => row.id}
        empty={{ title: 'Nothing in it', description: 'The provider has reported no settlement yet.' }}
      />
      <RawJson value={settlement} />
    </Detail>
  )
}

function whatIsIn({ payment_count: payments, refund_count: refunds }: SettlementDetailAnswer): string {
  const paid = counted(payments, 'payment')
  return refunds === 0 ? paid : `${paid}, ${counted(refunds, 'refund')}`
}
