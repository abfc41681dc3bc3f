import { useCommand } from '../../../api/command.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { isKept } from '../../approvals/kept.ts'
import { AFTER_CHANGE, useStudentPath, type DirectPayment } from '../use-student.ts'

export function CancelPaymentDialogue({
  id,
  payment,
  onClose,
}: {
  id: string
  payment: DirectPayment
  onClose: () => void
}) {
  const amount = formatRupees(payment.amount)
  const cancel = useCommand<{ reason: string }>({
    method: 'DELETE',
    path: `${useStudentPath(id)}/payments/${encodeURIComponent(payment.transaction_id)}`,
    refreshes: AFTER_CHANGE,
    onDone(answer) {
      if (!isKept(answer)) notify(`The payment of ${amount} is cancelled.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Cancel the payment ${payment.transaction_id}?`}
      description={`For a payment that was typed in by mistake. If the money goes back to the family, refund it instead. ${amount} no longer counts as paid and is due again. The payment stays on record. To undo this, record it again with another number.`}
      verb="Cancel the payment"
      isDangerous
      isBusy={cancel.isPending}
      error={cancel.error}
      onConfirm={reason => cancel.mutate({ reason })}
    />
  )
}
