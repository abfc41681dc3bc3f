import { useState } from 'react'
import { problemOf, useCommand } from '../../../api/command.ts'
import { plainAmount } from '../../../ui/form/amount.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { isKept } from '../../approvals/kept.ts'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'

export function AdvanceRefundDialogue({ student, onClose }: ActionProps) {
  const [amount, setAmount] = useState('')
  const refund = useCommand<{ amount?: string; reason: string }>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/advance-refunds`,
    refreshes: AFTER_CHANGE,
    onDone(answer) {
      if (!isKept(answer)) notify('The advance is on its way back.')
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title="Refund the advance"
      description={`${formatRupees(student.dues.advance_amount)} was paid beyond the fees. What of it was paid online goes back the way it was paid; nothing becomes due by it. Cash goes back at the counter.`}
      verb="Refund it"
      isBusy={refund.isPending}
      error={refund.error}
      onConfirm={reason => refund.mutate({ ...(amount && { amount: plainAmount(amount) }), reason })}
    >
      <AmountInput
        label="Amount in rupees"
        description="Leave empty for as much as was paid online."
        mb="sm"
        value={amount}
        onChange={setAmount}
        error={problemOf(refund.error, 'amount')}
      />
    </ConfirmWithReason>
  )
}
