import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApprovalLimitAnswer } from '../../../../src/console/approvals/approval.list.ts'
import { get } from '../../api/client.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'
import { plainAmount } from '../../ui/form/amount.ts'
import { AmountInput } from '../../ui/form/amount-input.tsx'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { notify } from '../../ui/toasts.tsx'

const HELD =
  'Refunds, cancelled counter payments, concessions, waived late fees and lower fees (by rules, the fee structure, a list of students, a new year or a change of class)'

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
  const { above, above_per_child: abovePerChild } = limit.data
  return (
    <>
      <p>
        {above === undefined
          ? `${HELD} are done at once, by one person.`
          : `${HELD} above ${formatRupees(above)} wait until a second person (owner or finance) approves them. So does what would make it more than ${formatRupees(abovePerChild ?? above)} for one child in one academic year, all of it together.`}
      </p>
      {mayChange && (
        <Button variant="default" mb="md" onClick={() => setIsOpen(true)}>
          {above === undefined ? 'Ask for a second person' : 'Change the amounts'}
        </Button>
      )}
      {isOpen && <LimitDialogue known={limit.data} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function LimitDialogue({ known, onClose }: { known: ApprovalLimitAnswer; onClose: () => void }) {
  const path = useInstitutePath()
  const [amount, setAmount] = useState(String(known.above ?? ''))
  const [perChild, setPerChild] = useState(String(known.above_per_child ?? ''))
  const change = useCommand<{ above: string | null; above_per_child: string | null; reason: string }>({
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
      description="What gives away more than this needs the approval of another owner or finance person: refunds, cancelled counter payments, concessions, waived late fees, and rules, structures or lists by which families owe less. Leave it empty to switch it off. What your ERP does is not affected."
      verb="Save"
      isBusy={change.isPending}
      error={change.error}
      onConfirm={reason =>
        change.mutate({ above: sentAmount(amount), above_per_child: sentAmount(perChild), reason })
      }
    >
      <AmountInput
        label="Above, in rupees"
        description="Of one act; what lowers fees for many counts together."
        mb="sm"
        value={amount}
        error={problemOf(change.error, 'above')}
        onChange={setAmount}
      />
      <AmountInput
        label="For one child in one academic year, in rupees"
        description="All acts together that nobody approved. Leave it empty for the same amount."
        mb="sm"
        value={perChild}
        error={problemOf(change.error, 'above_per_child')}
        onChange={setPerChild}
      />
    </ConfirmWithReason>
  )
}

function sentAmount(typed: string): string | null {
  return typed.trim() === '' ? null : plainAmount(typed)
}
