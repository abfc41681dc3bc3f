import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { problemOf, useCommand } from '../../../api/command.ts'
import { plainAmount } from '../../../ui/form/amount.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'
import { readable } from '../../../ui/words.ts'

export function AdvanceDialogue({ student, onClose }: ActionProps) {
  const { components, advance_amount: advance } = student.dues
  const owed = components.filter(line => line.outstanding_amount > 0)
  const [component, setComponent] = useState('')
  const [amount, setAmount] = useState('')
  const use = useCommand<{ component_type?: string; amount?: string; reason: string }>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/advance-uses`,
    refreshes: AFTER_CHANGE,
    onDone() {
      notify('The advance pays these fees now.')
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title="Use the advance for other fees"
      description={`${formatRupees(advance)} was paid beyond the fees. It counts as paid for the fees chosen here. No money moves, and receipts stay as they are.`}
      verb="Use it"
      isBusy={use.isPending}
      error={use.error}
      onConfirm={reason =>
        use.mutate({
          ...(component && { component_type: component }),
          ...(amount && { amount: plainAmount(amount) }),
          reason,
        })
      }
    >
      <NativeSelect
        label="For which fee"
        description="A late fee that is due for it is paid first."
        mb="sm"
        value={component}
        onChange={event => setComponent(event.currentTarget.value)}
        error={problemOf(use.error, 'component_type') ?? problemOf(use.error, 'fees')}
        data={[
          { value: '', label: 'Whatever is due first' },
          ...owed.map(line => ({
            value: line.component_type,
            label: `${readable(line.component_type)}: ${formatRupees(line.outstanding_amount)} left to pay`,
          })),
        ]}
      />
      <AmountInput
        label="Amount in rupees"
        description="Leave empty for as much as possible."
        mb="sm"
        value={amount}
        onChange={setAmount}
        error={problemOf(use.error, 'amount')}
      />
    </ConfirmWithReason>
  )
}
