import { Autocomplete, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { problemOf, useCommand } from '../../../api/command.ts'
import { plainAmount } from '../../../ui/form/amount.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { isKept } from '../../approvals/kept.ts'
import { useChoices } from '../../../api/choices.ts'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'
import { readable } from '../../../ui/words.ts'

type ConcessionBody = { component_type: string; discount_type: string; amount: string; reason: string }

export function ConcessionDialogue({ student, onClose }: ActionProps) {
  const { dues, discounts, has_erp: hasErp } = student
  const known = useChoices().discounts
  const [component, setComponent] = useState(dues.components[0]?.component_type ?? '')
  const [discount, setDiscount] = useState('')
  const [amount, setAmount] = useState('')
  const line = dues.components.find(one => one.component_type === component)
  const now = discounts.find(one => one.component_type === component && one.discount_type === discount)
  const give = useCommand<ConcessionBody>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/concessions`,
    refreshes: AFTER_CHANGE,
    onDone(answer) {
      if (!isKept(answer)) notify(`The concession on ${readable(component)} is changed.`)
      onClose()
    },
  })
  const overwritten = hasErp ? ' The next fetch from the ERP replaces it by what the ERP says.' : ''
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title="Give or change a concession"
      description={`It reduces the fee from now on, and with it the remaining instalments.${overwritten}`}
      verb="Change the concession"
      isBusy={give.isPending}
      error={give.error}
      onConfirm={reason =>
        give.mutate({
          component_type: component,
          discount_type: discount.trim(),
          amount: plainAmount(amount),
          reason,
        })
      }
    >
      <NativeSelect
        label="Fee"
        mb="sm"
        value={component}
        onChange={event => setComponent(event.currentTarget.value)}
        error={problemOf(give.error, 'component_type')}
        data={dues.components.map(one => ({
          value: one.component_type,
          label: `${readable(one.component_type)}: ${formatRupees(one.fee_amount)}`,
        }))}
      />
      <Autocomplete
        label="Kind of concession"
        description="From the catalogue, or a new one."
        mb="sm"
        value={discount}
        onChange={setDiscount}
        error={problemOf(give.error, 'discount_type')}
        data={[...new Set([...discounts.map(one => one.discount_type), ...known.map(({ code }) => code)])]}
      />
      <AmountInput
        label="Amount in rupees, in all"
        description={
          now === undefined
            ? `Of ${formatRupees(line?.fee_amount ?? 0)}; ${formatRupees(line?.discount_amount ?? 0)} is taken off already.`
            : `${formatRupees(now.amount)} until now. 0 ends it.`
        }
        mb="sm"
        value={amount}
        onChange={setAmount}
        error={problemOf(give.error, 'amount')}
      />
    </ConfirmWithReason>
  )
}
