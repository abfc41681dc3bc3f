import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { DebitAnswer } from '../../../../src/console/flex/debits.output.ts'
import type { Query } from '../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { DataTable, type Column } from '../../ui/table/data-table.tsx'
import { Money } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Filter } from '../../ui/table/use-filters.ts'
import { formatDay } from '../../ui/when.tsx'
import { STUDENT } from './student-column.tsx'
import { DEBIT_OPTIONS, DEBIT_LABELS, sentence } from './texts.ts'

const DAY: Column<DebitAnswer> = {
  key: 'day',
  title: 'Day',
  sort: 'day',
  text: row => formatDay(row.day),
  render: row => <span className="nowrap">{formatDay(row.day)}</span>,
}

const REST: readonly Column<DebitAnswer>[] = [
  {
    key: 'amount',
    title: 'Amount',
    sort: 'amount',
    isLargestFirst: true,
    align: 'right',
    text: row => String(row.amount),
    render: row => <Money rupees={row.amount} />,
  },
  {
    key: 'status',
    title: 'State',
    sort: 'status',
    text: row => DEBIT_LABELS[row.status].label,
    render: row => (
      <StatusBadge tone={DEBIT_LABELS[row.status].tone}>{DEBIT_LABELS[row.status].label}</StatusBadge>
    ),
  },
  { key: 'reason', title: 'Reason', text: reasonOf },
  { key: 'next', title: 'Next step', text: row => row.next_step },
  {
    key: 'due',
    title: 'Due',
    text: row => formatDay(row.due_date),
    render: row => (
      <span className="nowrap">
        {formatDay(row.due_date)}
        <span className="faint"> no. {row.number}</span>
      </span>
    ),
  },
  {
    key: 'presentation',
    title: 'Try',
    align: 'right',
    text: row => (row.presentation === undefined ? '' : String(row.presentation)),
  },
]

function reasonOf({ reason, why }: DebitAnswer): string {
  if (reason !== undefined) return `${reason.message} (code ${reason.code})`
  // An ERP's answer is kept as its code and its words.
  const [, code, words] = /^([a-z_]+): (.+)$/s.exec(why ?? '') ?? []
  return words === undefined ? sentence(why ?? '') : `${words} (${code})`
}

const STATUS: Filter = { key: 'status', label: 'State', options: DEBIT_OPTIONS }
const BRANCH: Filter = { key: 'collector_code', label: 'Branch code' }
const RANGE: readonly Filter[] = [
  { key: 'from', label: 'From', kind: 'day' },
  { key: 'to', label: 'Up to', kind: 'day' },
  { key: 'return_code', label: 'Return code' },
]

export function DebitsTable({
  name,
  day,
  empty,
}: {
  name: string
  day?: string
  empty: { title: string; description: ReactNode }
}) {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const query: Query = day === undefined ? {} : { from: day, to: day }
  return (
    <DataTable<DebitAnswer>
      name={name}
      path={`${path}/flex/debits`}
      queryKey="flex"
      columns={day === undefined ? [DAY, STUDENT, ...REST] : [STUDENT, ...REST]}
      rowId={row => row.id}
      filters={day === undefined ? [STATUS, ...RANGE, BRANCH] : [STATUS, BRANCH]}
      query={query}
      counted={['debit', 'debits']}
      onOpen={row =>
        void navigate({ to: '/i/$institute/flex/plans/$plan', params: { institute, plan: row.plan_id } })
      }
      empty={empty}
    />
  )
}
