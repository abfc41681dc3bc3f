import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { problemOf, useCommand } from '../../../api/command.ts'
import { plainAmount } from '../../../ui/form/amount.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { isKept } from '../../approvals/kept.ts'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'
import { readable } from '../../../ui/words.ts'

export function WaiverDialogue({ student, onClose }: ActionProps) {
  const { late_fees: fees, late_fee_amount: total } = student.dues
  const due = fees.filter(fee => fee.amount > 0)
  const [id, setId] = useState('')
  const [amount, setAmount] = useState('')
  const chosen = due.find(fee => fee.late_fee_id === id)
  const waive = useCommand<{ late_fee_id?: string; amount?: string; reason: string }>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/late-fee-waivers`,
    refreshes: AFTER_CHANGE,
    onDone(answer) {
      if (!isKept(answer)) notify('The late fee is waived.')
      onClose()
    },
  })
  const isOne = due.length === 1 || chosen !== undefined
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title="Waive a late fee"
      description={`${formatRupees(chosen?.amount ?? total)} of late fees is due. A waived late fee is not charged again.`}
      verb="Waive it"
      isBusy={waive.isPending}
      error={waive.error}
      onConfirm={reason =>
        waive.mutate({
          ...(id && { late_fee_id: id }),
          ...(isOne && amount && { amount: plainAmount(amount) }),
          reason,
        })
      }
    >
      {due.length > 1 && (
        <NativeSelect
          label="Which"
          mb="sm"
          value={id}
          onChange={event => setId(event.currentTarget.value)}
          error={problemOf(waive.error, 'late_fee_id')}
          data={[
            { value: '', label: `All of them: ${formatRupees(total)}` },
            ...due.map(fee => ({
              value: fee.late_fee_id,
              label: `${fee.component_type === undefined ? 'The rest' : readable(fee.component_type)}: ${formatRupees(fee.amount)}`,
            })),
          ]}
        />
      )}
      {isOne && (
        <AmountInput
          label="Amount in rupees"
          description="Leave empty for the full amount."
          mb="sm"
          value={amount}
          onChange={setAmount}
          error={problemOf(waive.error, 'amount')}
        />
      )}
    </ConfirmWithReason>
  )
}
