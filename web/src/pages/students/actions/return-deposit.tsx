import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { problemOf, useCommand } from '../../../api/command.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { readable } from '../../../ui/words.ts'
import { plainAmount } from '../texts.ts'
import { AFTER_CHANGE, useStudentPath, type ActionProps, type Student } from '../use-student.ts'

/** Deposits of this record; those of another year are given back there. */
export function depositsOf({ deposits, service_student_id: id }: Student): Student['deposits'] {
  return deposits.filter(one => one.service_student_id === id)
}

export function ReturnDepositDialogue({ student, onClose }: ActionProps) {
  const held = depositsOf(student)
  const [component, setComponent] = useState(held[0]?.component_type ?? '')
  const [amount, setAmount] = useState('')
  const giveBack = useCommand<{ component_type: string; amount?: string; reason: string }>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/deposit-returns`,
    refreshes: [...AFTER_CHANGE, 'money-deposits'],
    onDone() {
      notify('It stands as an advance now: refund it beside its payment, or use it for other fees.')
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title="Give a deposit back"
      description="What you give back stands as an advance of the child and is not asked for again. Then refund it: beside its payment with a voucher, or under More if it was paid online. Or use it for what the child owes."
      verb="Give it back"
      isBusy={giveBack.isPending}
      error={giveBack.error}
      onConfirm={reason =>
        giveBack.mutate({
          component_type: component,
          ...(amount && { amount: plainAmount(amount) }),
          reason,
        })
      }
    >
      <NativeSelect
        label="Deposit"
        mb="sm"
        value={component}
        onChange={event => setComponent(event.currentTarget.value)}
        error={problemOf(giveBack.error, 'component_type')}
        data={held.map(one => ({
          value: one.component_type,
          label: `${readable(one.component_type)}: ${formatRupees(one.amount)} held`,
        }))}
      />
      <TextInput
        label="Amount in rupees"
        description="Leave empty for all of it."
        inputMode="decimal"
        mb="sm"
        value={amount}
        onChange={event => setAmount(event.currentTarget.value)}
        error={problemOf(giveBack.error, 'amount')}
      />
    </ConfirmWithReason>
  )
}
