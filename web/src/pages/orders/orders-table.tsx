import { useNavigate } from '@tanstack/react-router'
import type { OrderRowAnswer } from '../../../../src/console/orders/order.output.ts'
import type { Query } from '../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { DataTable, type Column } from '../../ui/table/data-table.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Filter } from '../../ui/table/use-filters.ts'
import { formatMoment, When } from '../../ui/when.tsx'
import { OrderActs } from './bulk-acts.tsx'
import { useChoices } from '../../api/choices.ts'
import { KIND_CHOICES, KINDS, STATUS_CHOICES, statusWord } from './texts.ts'

const COLUMNS: readonly Column<OrderRowAnswer>[] = [
  {
    key: 'amount',
    title: 'Amount',
    align: 'right',
    sort: 'amount',
    isLargestFirst: true,
    text: row => formatRupees(row.amount),
    render: row => <span className="nowrap">{formatRupees(row.amount)}</span>,
  },
  {
    key: 'status',
    title: 'Status',
    text: row => statusWord(row).label,
    render: row => <StatusBadge tone={statusWord(row).tone}>{statusWord(row).label}</StatusBadge>,
  },
  {
    key: 'name',
    title: 'Payer',
    sort: 'payer',
    text: row => row.name,
    render: row => (
      <>
        {row.name}
        <div className="faint nowrap">{row.phone}</div>
      </>
    ),
  },
  {
    key: 'student',
    title: 'Student',
    sort: 'student',
    text: row => [row.student_name, row.identifier].filter(Boolean).join(', '),
    render: row => (
      <>
        {row.student_name}
        <div className="faint nowrap">{row.identifier}</div>
      </>
    ),
  },
  { key: 'kind', title: 'Kind', text: row => KINDS[row.kind] },
  {
    key: 'created_at',
    title: 'Made',
    sort: 'made',
    isLargestFirst: true,
    text: row => formatMoment(row.created_at),
    render: row => <When at={row.created_at} />,
  },
]

type Props = {
  name: string
  /** Always sent, such as the page whose payments these are. */
  query?: Query
  empty: Parameters<typeof DataTable>[0]['empty']
}

export function OrdersTable({ name, query, empty }: Props) {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const { branches } = useChoices()
  const navigate = useNavigate()
  const filters: Filter[] = [
    { key: 'q', label: 'Search' },
    ...(query === undefined ? [{ key: 'kind', label: 'Kind', options: KIND_CHOICES }] : []),
    { key: 'status', label: 'Status', options: STATUS_CHOICES },
    ...(branches.length > 1 && query === undefined
      ? [
          {
            key: 'collector_code',
            label: 'Branch',
            options: branches.map(branch => ({ value: branch.code, label: branch.name })),
          },
        ]
      : []),
    { key: 'created_from', label: 'Made from', kind: 'day' },
    { key: 'created_to', label: 'Made up to', kind: 'day' },
  ]
  return (
    <DataTable
      name={name}
      path={`${path}/orders`}
      queryKey="orders"
      columns={query === undefined ? COLUMNS : COLUMNS.filter(({ key }) => key !== 'kind')}
      rowId={row => row.id}
      filters={filters}
      keepsRows
      counted={['order or link', 'orders and links']}
      picked={picked => <OrderActs path={`${path}/orders`} picked={picked} />}
      {...(query === undefined ? {} : { query })}
      onOpen={row =>
        void navigate({ to: '/i/$institute/orders/$order', params: { institute, order: row.id } })
      }
      empty={empty}
    />
  )
}
