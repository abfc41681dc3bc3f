import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApprovalLimitAnswer } from '../../../../src/console/approvals/approval.output.ts'
import { get } from '../../api/client.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { notify } from '../../ui/toasts.tsx'
import { plainAmount } from '../orders/texts.ts'

const HELD =
  'Refunds, concessions, waived late fees and lower fees (by the fee structure, a list of students, a new year or a change of class)'

/** Above which amount a second person approves. */
export function LimitSection() {
  const path = useInstitutePath()
  const mayChange = useMay('owner')
  const [isOpen, setIsOpen] = useState(false)
  const limit = useQuery({
    queryKey: ['approval-limit', path],
    queryFn: ({ signal }) => get<ApprovalLimitAnswer>(`${path}/approval-limit`, {}, signal),
  })
  if (!limit.isSuccess) return null
  const { above } = limit.data
  return (
    <>
      <p>
        {above === undefined
          ? `${HELD} are done at once, by one person.`
          : `${HELD} above ${formatRupees(above)} wait until a second person (owner or finance) approves them.`}
      </p>
      {mayChange && (
        <Button variant="default" mb="md" onClick={() => setIsOpen(true)}>
          {above === undefined ? 'Ask for a second person' : 'Change the amount'}
        </Button>
      )}
      {isOpen && <LimitDialogue above={above} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function LimitDialogue({ above, onClose }: { above: number | undefined; onClose: () => void }) {
  const path = useInstitutePath()
  const [amount, setAmount] = useState(above === undefined ? '' : String(above))
  const change = useCommand<{ above: string | null; reason: string }>({
    method: 'PUT',
    path: `${path}/approval-limit`,
    refreshes: ['approval-limit', 'audit'],
    onDone() {
      notify('It counts from now on.')
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title="When does a second person approve?"
      description="A refund, a concession, a waived late fee or lower fees above this amount need the approval of another owner or finance person: lower fees by the fee structure, a list of students, a new year or a change of class or branch count together. Leave it empty to switch it off. What your ERP does is not affected."
      verb="Save"
      isBusy={change.isPending}
      error={change.error}
      onConfirm={reason =>
        change.mutate({ above: amount.trim() === '' ? null : plainAmount(amount), reason })
      }
    >
      <TextInput
        label="Above, in rupees"
        mb="sm"
        inputMode="decimal"
        value={amount}
        error={problemOf(change.error, 'above')}
        onChange={event => setAmount(event.currentTarget.value)}
      />
    </ConfirmWithReason>
  )
}
