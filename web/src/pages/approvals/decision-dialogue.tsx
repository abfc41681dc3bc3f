import { TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ApprovalAnswer } from '../../../../src/console/approvals/approval.list.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { useInstitutePath } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { notify } from '../../ui/toasts.tsx'
import { effectText } from './effect.ts'
import { FormDialogue } from '../developers/form-dialogue.tsx'

export type Decision = { kind: 'approve' | 'decline' | 'withdraw'; approval: ApprovalAnswer }
type Props = { decision: Decision; onClose: () => void }

const DONE = {
  approve: 'Approved, and done.',
  decline: 'Declined. Nothing was changed.',
  withdraw: 'Withdrawn. Nothing was changed.',
} as const

export function DecisionDialogue({ decision: { kind, approval }, onClose }: Props) {
  const path = useInstitutePath()
  const [note, setNote] = useState('')
  const decide = useCommand<{ note?: string; reason?: string }>({
    method: 'POST',
    path: `${path}/approvals/${approval.approval_id}/${kind}`,
    refreshes: ['approvals', 'home', 'orders', 'students', 'audit', 'money'],
    onDone() {
      notify(DONE[kind])
      onClose()
    },
  })
  const what = `${approval.title}: ${formatRupees(approval.amount)}`
  if (kind === 'decline')
    return (
      <ConfirmWithReason
        isOpen
        onClose={onClose}
        title="Decline this request?"
        description={`${what}. ${approval.asked_by} reads your reason.`}
        verb="Decline"
        isDangerous
        isBusy={decide.isPending}
        error={decide.error}
        onConfirm={reason => decide.mutate({ reason })}
      />
    )
  const isApproving = kind === 'approve'
  return (
    <FormDialogue
      title={isApproving ? 'Approve this request?' : 'Withdraw your request?'}
      verb={isApproving ? 'Approve and do it' : 'Withdraw'}
      isBusy={decide.isPending}
      error={decide.error}
      onSubmit={() => decide.mutate(isApproving && note.trim() !== '' ? { note } : {})}
      onClose={onClose}
    >
      <p>
        <strong>{what}</strong>
      </p>
      {effectText(approval) !== '' && <p>{effectText(approval)}</p>}
      <p>
        Asked for by {approval.asked_by}: {approval.reason}
      </p>
      {isApproving && (
        <TextInput
          label="Note (optional)"
          value={note}
          error={problemOf(decide.error, 'note')}
          onChange={event => setNote(event.currentTarget.value)}
        />
      )}
    </FormDialogue>
  )
}
