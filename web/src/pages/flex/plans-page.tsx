import { useNavigate } from '@tanstack/react-router'
import type { PlanRowAnswer } from '../../../../src/console/flex/plans.output.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { DataTable, type Column } from '../../ui/table/data-table.tsx'
import { counted, Money } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Filter } from '../../ui/table/use-filters.ts'
import { formatDay } from '../../ui/when.tsx'
import { FlexFrame } from './flex-frame.tsx'
import { STUDENT } from './student-column.tsx'
import { PLAN_OPTIONS, planLabel, RAIL_LABELS } from './texts.ts'

const COLUMNS: readonly Column<PlanRowAnswer>[] = [
  STUDENT,
  {
    key: 'status',
    title: 'State',
    sort: 'status',
    text: row => planLabel(row).label,
    render: row => <StatusBadge tone={planLabel(row).tone}>{planLabel(row).label}</StatusBadge>,
  },
  {
    key: 'next',
    title: 'Next debit',
    sort: 'next',
    text: row => (row.next_debit_on === undefined ? '' : formatDay(row.next_debit_on)),
    render: row =>
      row.next_debit_on === undefined ? (
        <span className="faint">None</span>
      ) : (
        <span className="nowrap">
          {formatDay(row.next_debit_on)}
          <div>{row.next_debit_amount !== undefined && <Money rupees={row.next_debit_amount} />}</div>
        </span>
      ),
  },
  {
    key: 'paid',
    title: 'Paid',
    sort: 'paid',
    isLargestFirst: true,
    align: 'right',
    text: row => String(row.paid_amount),
    render: row => <Money rupees={row.paid_amount} />,
  },
  {
    key: 'total',
    title: 'In all',
    sort: 'total',
    isLargestFirst: true,
    align: 'right',
    text: row => String(row.total_amount),
    render: row => <Money rupees={row.total_amount} />,
  },
  {
    key: 'instalments',
    title: 'Instalments',
    sort: 'bounced',
    isLargestFirst: true,
    text: row => `${row.paid_instalments} of ${row.instalments}`,
    render: row => (
      <>
        {row.paid_instalments} of {row.instalments}
        {row.bounced_instalments > 0 && (
          <div>
            <StatusBadge tone="bad">{counted(row.bounced_instalments, 'bounce')}</StatusBadge>
          </div>
        )}
      </>
    ),
  },
  {
    key: 'mandate',
    title: 'Mandate',
    text: row => [row.rail === undefined ? '' : RAIL_LABELS[row.rail], row.umrn ?? ''].join(' ').trim(),
    render: row => (
      <span className="flex-student">
        {row.rail === undefined ? '' : RAIL_LABELS[row.rail]}
        <span className="mono flex-umrn">{row.umrn ?? ''}</span>
      </span>
    ),
  },
  { key: 'branch', title: 'Branch', text: row => row.collector_code },
]

const FILTERS: readonly Filter[] = [
  { key: 'search', label: 'Name, admission number, phone, plan id or UMRN' },
  { key: 'status', label: 'State', options: PLAN_OPTIONS },
  {
    key: 'held',
    label: 'Held',
    options: [
      { value: 'yes', label: 'Yes' },
      { value: 'no', label: 'No' },
    ],
  },
  { key: 'collector_code', label: 'Branch code' },
]

export function FlexPlansPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  return (
    <FlexFrame here="plans">
      <DataTable<PlanRowAnswer>
        name="Plans"
        path={`${path}/flex/plans`}
        queryKey="flex"
        columns={COLUMNS}
        rowId={row => row.plan_id}
        filters={FILTERS}
        counted={['plan', 'plans']}
        onOpen={row =>
          void navigate({ to: '/i/$institute/flex/plans/$plan', params: { institute, plan: row.plan_id } })
        }
        empty={{
          title: 'No plan yet',
          description:
            'A plan takes a student’s fees in instalments by a mandate. Your ERP creates one for a student, and the family sets it up on its page.',
        }}
      />
    </FlexFrame>
  )
}
