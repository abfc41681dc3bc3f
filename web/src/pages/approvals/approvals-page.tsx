import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ApprovalAnswer } from '../../../../src/console/approvals/approval.output.ts'
import { useInstitute, useInstitutePath, useMay, usePerson } from '../../api/session.ts'
import { Money } from '../../ui/money.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { DataTable, type Column } from '../../ui/table/data-table.tsx'
import { formatMoment, When } from '../../ui/when.tsx'
import { SettingsTabs } from '../settings/settings-tabs.tsx'
import { effectText } from './effect.ts'
import { DecisionDialogue, type Decision } from './decision-dialogue.tsx'
import { LimitSection } from './limit-section.tsx'

const STATES: Record<ApprovalAnswer['status'], { label: string; tone: Tone }> = {
  waiting: { label: 'Waiting', tone: 'waiting' },
  approved: { label: 'Approved', tone: 'good' },
  declined: { label: 'Declined', tone: 'bad' },
  withdrawn: { label: 'Withdrawn', tone: 'plain' },
  expired: { label: 'Expired', tone: 'plain' },
}
const OPTIONS = Object.entries(STATES).map(([value, { label }]) => ({ value, label }))

/** What waits for a second person, and what became of the rest. */
export function ApprovalsPage() {
  const path = useInstitutePath()
  const [asked, setAsked] = useState<Decision | null>(null)
  const columns = useColumns(setAsked)
  return (
    <PageFrame title="Settings">
      <SettingsTabs here="approvals" />
      <LimitSection />
      <DataTable<ApprovalAnswer>
        name="Approvals"
        path={`${path}/approvals`}
        queryKey="approvals"
        columns={columns}
        rowId={row => row.approval_id}
        counted={['request', 'requests']}
        filters={[{ key: 'status', label: 'State', options: OPTIONS }]}
        empty={{
          title: 'Nothing was asked for yet',
          description:
            'A refund, a concession, a waiver or lower fees above the amount stand here until a colleague decides.',
        }}
      />
      {asked !== null && <DecisionDialogue decision={asked} onClose={() => setAsked(null)} />}
    </PageFrame>
  )
}

function useColumns(onAsk: (decision: Decision) => void): readonly Column<ApprovalAnswer>[] {
  const mayDecide = useMay('owner', 'finance')
  const person = usePerson()
  return [
    {
      key: 'title',
      title: 'What',
      sort: 'title',
      text: row => row.title,
      render: row => (
        <>
          <Subject row={row} />
          <div>{effectText(row)}</div>
          <div className="faint">{row.reason}</div>
        </>
      ),
    },
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
      key: 'asked',
      title: 'Asked by',
      sort: 'asked',
      isLargestFirst: true,
      text: row => `${row.asked_by} ${formatMoment(row.asked_at)}`,
      render: row => (
        <>
          {row.asked_by}
          <div className="faint">
            <When at={row.asked_at} />
          </div>
        </>
      ),
    },
    {
      key: 'status',
      title: 'State',
      sort: 'status',
      text: row => STATES[row.status].label,
      render: row => (
        <>
          <StatusBadge tone={STATES[row.status].tone}>{STATES[row.status].label}</StatusBadge>
          {row.decided_by !== undefined && <div className="faint">by {row.decided_by}</div>}
          {row.note !== undefined && <div className="faint">{row.note}</div>}
        </>
      ),
    },
    {
      key: 'next',
      title: 'Next step',
      text: () => '',
      render: row =>
        mayDecide && row.status === 'waiting' ? (
          <Actions row={row} isOwn={row.asked_by === person?.email} onAsk={onAsk} />
        ) : null,
    },
  ]
}

function Subject({ row }: { row: ApprovalAnswer }) {
  const { code: institute } = useInstitute()
  if (row.act === 'refund')
    return (
      <Link to="/i/$institute/orders/$order" params={{ institute, order: row.about }} search={{}}>
        {row.title}
      </Link>
    )
  if (row.act === 'student_file')
    return (
      <Link to="/i/$institute/students/import/$file" params={{ institute, file: row.about }} search={{}}>
        {row.title}
      </Link>
    )
  if (['fee_structure', 'structure_change', 'structure_drop'].includes(row.act))
    return (
      <Link to="/i/$institute/students/fees" params={{ institute }} search={{}}>
        {row.title}
      </Link>
    )
  if (row.act === 'payment_rules')
    return (
      <Link to="/i/$institute/settings/payments" params={{ institute }} search={{}}>
        {row.title}
      </Link>
    )
  if (row.act === 'plan_reschedule' || row.act === 'plan_resumption')
    return (
      <Link to="/i/$institute/flex/plans/$plan" params={{ institute, plan: row.about }} search={{}}>
        {row.title}
      </Link>
    )
  if (row.act === 'rollover' || row.act === 'refund_of_other_amount') return row.title
  return (
    <Link to="/i/$institute/students/$student" params={{ institute, student: row.about }} search={{}}>
      {row.title}
    </Link>
  )
}

type Offer = { row: ApprovalAnswer; isOwn: boolean; onAsk: (decision: Decision) => void }

function Actions({ row, isOwn, onAsk }: Offer) {
  const offer = (kind: Decision['kind'], label: string) => (
    <Button
      size="compact-sm"
      variant={kind === 'approve' ? 'filled' : 'default'}
      onClick={() => onAsk({ kind, approval: row })}
    >
      {label}
    </Button>
  )
  return (
    <Group gap="xs">
      {isOwn ? (
        offer('withdraw', 'Withdraw')
      ) : (
        <>
          {offer('approve', 'Approve')}
          {offer('decline', 'Decline')}
        </>
      )}
    </Group>
  )
}
