import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { problemOf, useCommand } from '../../../api/command.ts'
import { plainAmount } from '../../../ui/form/amount.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { readable } from '../../../ui/words.ts'
import { AFTER_CHANGE, useStudentPath, type ActionProps, type Student } from '../use-student.ts'

/** Deposits of this record; those of another year are given back there. */
export function depositsOf({ deposits, service_student_id: id }: Student): Student['deposits'] {
  return deposits.filter(one => one.service_student_id === id)
}

export function ReturnDepositDialogue(props: ActionProps) {
  return (
    <DepositDialogue
      {...props}
      address="deposit-returns"
      choices={depositsOf(props.student).map(({ component_type, amount }) => {
        return { component_type, label: `${readable(component_type)}: ${formatRupees(amount)} held` }
      })}
      title="Give a deposit back"
      description="What you give back stands as an advance of the child and is not asked for again. Then refund it: beside its payment with a voucher, or under More if it was paid online. Or use it for what the child owes."
      verb="Give it back"
      done="It stands as an advance now: refund it beside its payment, or use it for other fees."
    />
  )
}

/** Takes back a return that was a mistake. */
export function UndoReturnDialogue(props: ActionProps) {
  return (
    <DepositDialogue
      {...props}
      address="deposit-returns/undo"
      choices={props.student.undoable_returns.map(({ component_type, amount }) => {
        return {
          component_type,
          label: `${readable(component_type)}: ${formatRupees(amount)} can be held again`,
        }
      })}
      title="Undo the return of a deposit"
      description="The deposit is held again, and the advance that it gave is gone. What was refunded or has paid other fees since stays so."
      verb="Hold it again"
      done="The deposit is held again."
    />
  )
}

type DepositProps = ActionProps & {
  address: string
  choices: readonly { component_type: string; label: string }[]
  title: string
  description: string
  verb: string
  done: string
}

function DepositDialogue({
  student,
  onClose,
  address,
  choices,
  title,
  description,
  verb,
  done,
}: DepositProps) {
  const [component, setComponent] = useState(choices[0]?.component_type ?? '')
  const [amount, setAmount] = useState('')
  const giveBack = useCommand<{ component_type: string; amount?: string; reason: string }>({
    method: 'POST',
    path: `${useStudentPath(student.service_student_id)}/${address}`,
    refreshes: [...AFTER_CHANGE, 'money-deposits'],
    onDone() {
      notify(done)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={title}
      description={description}
      verb={verb}
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
        data={choices.map(one => ({ value: one.component_type, label: one.label }))}
      />
      <AmountInput
        label="Amount in rupees"
        description="Leave empty for all of it."
        mb="sm"
        value={amount}
        onChange={setAmount}
        error={problemOf(giveBack.error, 'amount')}
      />
    </ConfirmWithReason>
  )
}
