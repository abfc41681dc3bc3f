import { useNavigate } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import type { OrderRowAnswer } from '../../../../src/console/orders/order.list.ts'
import type { Query } from '../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { ListTable } from '../../ui/table/list-table.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { OrderActs } from './bulk-acts.tsx'
import { KINDS, STATUSES, statusWord } from './texts.ts'

const CELLS = {
  amount: (row: OrderRowAnswer) => <span className="nowrap">{formatRupees(row.amount)}</span>,
  status: (row: OrderRowAnswer) => (
    <StatusBadge tone={statusWord(row).tone}>{statusWord(row).label}</StatusBadge>
  ),
  name: (row: OrderRowAnswer) => (
    <>
      {row.name}
      <div className="faint nowrap">{row.phone}</div>
    </>
  ),
  student_name: (row: OrderRowAnswer) =>
    (row.student_name ?? row.identifier) !== undefined && (
      <>
        {row.student_name}
        <div className="faint nowrap">{row.identifier}</div>
      </>
    ),
}
const LABELS = { kind: KINDS, status: STATUSES }

type Props = Pick<ComponentProps<typeof ListTable<OrderRowAnswer>>, 'name' | 'empty'> & {
  /** Always sent, such as the page whose payments these are. */
  query?: Query
}

export function OrdersTable({ name, query, empty }: Props) {
  const path = `${useInstitutePath()}/orders`
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  return (
    <ListTable<OrderRowAnswer>
      name={name}
      path={path}
      queryKey="orders"
      cells={CELLS}
      labels={LABELS}
      rowId={row => row.id}
      keepsRows
      picked={picked => <OrderActs path={path} picked={picked} />}
      {...(query === undefined ? {} : { query, without: ['kind', 'collector_code'] })}
      onOpen={row =>
        void navigate({ to: '/i/$institute/orders/$order', params: { institute, order: row.id } })
      }
      empty={empty}
    />
  )
}
