import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { CounterRefundAnswer } from '../../../../../src/banking/refunds/counter-refund.schemas.ts'
import type { ApprovalAnswer } from '../../../../../src/console/approvals/approval.list.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { plainAmount } from '../../../ui/form/amount.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { readable } from '../../../ui/words.ts'
import { isKept } from '../../approvals/kept.ts'
import { modeLabel } from '../../money/texts.ts'
import { AFTER_CHANGE, useStudentPath, type DirectPayment } from '../use-student.ts'

type RefundWay = CounterRefundAnswer['way']
type RefundForm = {
  amount?: string
  details?: { component_type: string; amount: string }[]
  way: RefundWay
  reference?: string
  reason: string
}

const WAYS: { value: RefundWay; label: string }[] = [
  { value: 'cash', label: 'Cash from the drawer' },
  { value: 'cheque', label: 'Cheque' },
  { value: 'bank_transfer', label: 'Bank transfer' },
]

const ALL_FEES = ''

/** Money that was taken at the counter is paid out again, all of it or a part. */
export function RefundPaymentDialogue({
  id,
  payment,
  onClose,
}: {
  id: string
  payment: DirectPayment
  onClose: () => void
}) {
  const [amount, setAmount] = useState('')
  const [fee, setFee] = useState(ALL_FEES)
  const [way, setWay] = useState<RefundWay>('cash')
  const [reference, setReference] = useState('')
  const refund = useCommand<RefundForm, CounterRefundAnswer | ApprovalAnswer>({
    method: 'POST',
    path: `${useStudentPath(id)}/payments/${encodeURIComponent(payment.transaction_id)}/refunds`,
    refreshes: [...AFTER_CHANGE, 'counter', 'cash-in-hand'],
    onDone(answer) {
      if (!isKept(answer))
        notify(
          `${formatRupees(answer.amount)} is paid out. Print voucher ${answer.voucher_number} beside the payment.`,
        )
      onClose()
    },
  })
  const left = payment.amount - (payment.refunded_amount ?? 0)
  const fees = payment.fee_components.filter(line => line.amount > 0)
  const sent = (): Omit<RefundForm, 'reason'> => {
    const wanted = plainAmount(amount)
    const ofFee = fees.find(line => line.component_type === fee)
    return {
      way,
      ...(way !== 'cash' && reference !== '' && { reference }),
      ...(ofFee !== undefined
        ? { details: [{ component_type: fee, amount: wanted || String(ofFee.amount) }] }
        : wanted && { amount: wanted }),
    }
  }
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Refund of the payment ${payment.transaction_id}`}
      description={`${formatRupees(left)} of this payment by ${modeLabel(payment.mode)} can go back. What goes back is due again; a voucher is made for the family to sign, and the family is told.`}
      verb="Pay it out"
      isDangerous
      isBusy={refund.isPending}
      error={refund.error}
      onConfirm={reason => refund.mutate({ ...sent(), reason })}
    >
      {fees.length > 1 && <OfFee fees={fees} fee={fee} onFee={setFee} />}
      <AmountInput
        label="Amount in rupees"
        description="Leave empty for all of it."
        mb="sm"
        value={amount}
        onChange={setAmount}
        error={problemOf(refund.error, 'amount') ?? problemOf(refund.error, 'details.0.amount')}
      />
      <PaidOutBy
        way={way}
        reference={reference}
        onWay={setWay}
        onReference={setReference}
        problem={problemOf(refund.error, 'reference')}
      />
    </ConfirmWithReason>
  )
}

function PaidOutBy({
  way,
  reference,
  onWay,
  onReference,
  problem,
}: {
  way: RefundWay
  reference: string
  onWay: (way: RefundWay) => void
  onReference: (reference: string) => void
  problem: string | undefined
}) {
  return (
    <>
      <NativeSelect
        label="Paid out by"
        mb="sm"
        value={way}
        onChange={event => onWay(event.currentTarget.value as RefundWay)}
        data={WAYS}
      />
      {way !== 'cash' && (
        <TextInput
          label={way === 'cheque' ? 'Number of the cheque' : 'Reference of the transfer (UTR)'}
          withAsterisk
          mb="sm"
          value={reference}
          onChange={event => onReference(event.currentTarget.value)}
          error={problem}
        />
      )}
    </>
  )
}

function OfFee({
  fees,
  fee,
  onFee,
}: {
  fees: DirectPayment['fee_components']
  fee: string
  onFee: (fee: string) => void
}) {
  return (
    <NativeSelect
      label="Of which fee"
      mb="sm"
      value={fee}
      onChange={event => onFee(event.currentTarget.value)}
      data={[
        { value: ALL_FEES, label: 'All fees of the payment, in proportion' },
        ...fees.map(line => ({
          value: line.component_type,
          label: `${readable(line.component_type)}, ${formatRupees(line.amount)}`,
        })),
      ]}
    />
  )
}
