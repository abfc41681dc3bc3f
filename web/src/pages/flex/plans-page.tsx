import { useNavigate } from '@tanstack/react-router'
import type { PlanRowAnswer } from '../../../../src/console/flex/plan.list.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { ListTable } from '../../ui/table/list-table.tsx'
import { counted, Money } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { formatDay } from '../../ui/when.tsx'
import { FlexFrame } from './flex-frame.tsx'
import { studentCell } from './student-column.tsx'
import { PLAN_LABELS, planLabel, RAIL_LABELS } from './texts.ts'

const CELLS = {
  student_name: studentCell,
  status: (row: PlanRowAnswer) => (
    <StatusBadge tone={planLabel(row).tone}>{planLabel(row).label}</StatusBadge>
  ),
  next_debit_on: (row: PlanRowAnswer) =>
    row.next_debit_on === undefined ? (
      <span className="faint">None</span>
    ) : (
      <span className="nowrap">
        {formatDay(row.next_debit_on)}
        <div>{row.next_debit_amount !== undefined && <Money rupees={row.next_debit_amount} />}</div>
      </span>
    ),
  instalments: (row: PlanRowAnswer) => (
    <>
      {row.paid_instalments} of {row.instalments}
      {row.bounces > 0 && (
        <div>
          <StatusBadge tone="bad">{counted(row.bounces, 'bounce')}</StatusBadge>
        </div>
      )}
    </>
  ),
  umrn: ({ rail, umrn }: PlanRowAnswer) => (
    <span className="flex-student">
      {rail === undefined ? '' : RAIL_LABELS[rail]}
      <span className="mono flex-umrn">{umrn ?? ''}</span>
    </span>
  ),
}
const LABELS = { status: PLAN_LABELS, held: { yes: { label: 'Yes' }, no: { label: 'No' } } }

export function FlexPlansPage() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  return (
    <FlexFrame here="plans">
      <ListTable<PlanRowAnswer>
        name="Plans"
        path={`${path}/flex/plans`}
        queryKey="flex"
        cells={CELLS}
        labels={LABELS}
        rowId={row => row.plan_id}
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
