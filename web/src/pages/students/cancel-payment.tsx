import { useAct } from '../../api/act.ts'
import { ConfirmWithReason } from '../../ui/confirm-with-reason.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { say } from '../../ui/toasts.tsx'
import type { DirectPayment } from './payments-section.tsx'
import { AFTER_ACT, useStudentPath } from './use-student.ts'

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
  const cancel = useAct<{ reason: string }>({
    method: 'DELETE',
    path: `${useStudentPath(id)}/payments/${encodeURIComponent(payment.transaction_id)}`,
    refreshes: AFTER_ACT,
    onDone() {
      say(`The payment of ${amount} is cancelled.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Cancel the payment ${payment.transaction_id}?`}
      say={`${amount} does not count as paid any more and is due again. The payment stays on record. To undo it, record it anew with another number.`}
      verb="Cancel the payment"
      isGrave
      isBusy={cancel.isPending}
      error={cancel.error}
      onConfirm={reason => cancel.mutate({ reason })}
    />
  )
}
