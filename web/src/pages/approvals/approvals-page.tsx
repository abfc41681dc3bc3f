import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ApprovalAnswer } from '../../../../src/console/approvals/approval.list.ts'
import { useInstitute, useInstitutePath, useMay, usePerson } from '../../api/session.ts'
import { PageFrame } from '../../ui/page.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { ListTable } from '../../ui/table/list-table.tsx'
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
/** What waits for a second person, and what became of the rest. */
export function ApprovalsPage() {
  const path = useInstitutePath()
  const [asked, setAsked] = useState<Decision | null>(null)
  const mayDecide = useMay('owner', 'finance')
  const person = usePerson()
  return (
    <PageFrame title="Settings">
      <SettingsTabs here="approvals" />
      <LimitSection />
      <ListTable<ApprovalAnswer>
        name="Approvals"
        path={`${path}/approvals`}
        queryKey="approvals"
        rowId={row => row.approval_id}
        labels={{ status: STATES }}
        cells={CELLS}
        more={[
          {
            key: 'next',
            title: 'Next step',
            text: () => '',
            render: row =>
              mayDecide && row.status === 'waiting' ? (
                <Actions row={row} isOwn={row.asked_by === person?.email} onAsk={setAsked} />
              ) : null,
          },
        ]}
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

const CELLS = {
  title: (row: ApprovalAnswer) => (
    <>
      <Subject row={row} />
      <div>{effectText(row)}</div>
      <div className="faint">{row.reason}</div>
    </>
  ),
  status: (row: ApprovalAnswer) => (
    <>
      <StatusBadge tone={STATES[row.status].tone}>{STATES[row.status].label}</StatusBadge>
      {row.decided_by !== undefined && <div className="faint">by {row.decided_by}</div>}
      {row.note !== undefined && <div className="faint">{row.note}</div>}
    </>
  ),
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
  if (
    row.act === 'plan_reschedule' ||
    row.act === 'plan_resumption' ||
    row.act === 'plan_charge_cancellation'
  )
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
