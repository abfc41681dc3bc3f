import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { LoanDetailAnswer } from '../../../../src/console/loans/loan.output.ts'
import { useCommand } from '../../api/command.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { notify } from '../../ui/toasts.tsx'
import { FormDialogue } from '../developers/form-dialogue.tsx'
import type { Tranche } from '../loans/loan-detail.tsx'
import { Field, type Form, type Values } from '../orders/field.tsx'
import { plainAmount } from '../orders/texts.ts'

type Props = { base: string; detail: LoanDetailAnswer; onClose: () => void }

function useDesk(base: string, act: string, text: string, onClose: () => void) {
  return useCommand<object>({
    method: 'POST',
    path: `${base}/${act}`,
    refreshes: ['applications'],
    onDone() {
      notify(text)
      onClose()
    },
  })
}

function useForm(initial: Values, error: Error | null): Form {
  const [values, setValues] = useState<Values>(initial)
  return { values, error, set: changes => setValues({ ...values, ...changes }) }
}

const RUPEES = { inputMode: 'decimal', required: true } as const
const WHOLE = { inputMode: 'numeric', required: true } as const

export function ApproveDialogue({ base, detail, onClose }: Props) {
  const approve = useDesk(base, 'approve', 'The offer is made. The family sees it on its page.', onClose)
  const form = useForm({ amount: String(detail.loan.requested_amount), fees: '0' }, approve.error)
  const { amount = '', rate = '', months = '', emi = '', fees = '' } = form.values
  return (
    <FormDialogue
      title="Approve with an offer"
      verb="Make the offer"
      isBusy={approve.isPending}
      error={approve.error}
      onSubmit={() =>
        approve.mutate({
          amount: plainAmount(amount),
          yearly_rate_bp: Math.round(Number(rate) * 100),
          months: Number(months),
          emi: plainAmount(emi),
          fees: plainAmount(fees),
        })
      }
      onClose={onClose}
    >
      <p>
        {detail.loan.borrower} asked for {formatRupees(detail.loan.requested_amount)}. The family reads
        exactly these terms and accepts them, or does not.
      </p>
      <Field form={form} name="amount" label="Amount in rupees" data-autofocus {...RUPEES} />
      <Field form={form} name="rate" label="Interest a year, in percent" {...RUPEES} />
      <Field form={form} name="months" label="Number of EMIs" {...WHOLE} />
      <Field form={form} name="emi" label="Each EMI, in rupees" {...RUPEES} />
      <Field form={form} name="fees" label="All other charges, in rupees" {...RUPEES} />
    </FormDialogue>
  )
}

export function RejectDialogue({ base, detail, onClose }: Props) {
  const reject = useDesk(base, 'reject', 'The application is rejected.', onClose)
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title="Reject this application?"
      description={`${detail.loan.borrower} reads your reason. This cannot be undone; the family can apply again.`}
      verb="Reject"
      isDangerous
      isBusy={reject.isPending}
      error={reject.error}
      onConfirm={reason => reject.mutate({ reason })}
    />
  )
}

export function WithdrawDialogue({ base, detail, onClose }: Props) {
  const cancel = useDesk(base, 'cancel', 'The loan is withdrawn.', onClose)
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title="Withdraw this loan?"
      description={`Nothing has been paid out. ${detail.loan.borrower} and the institute are told that there is no loan.`}
      verb="Withdraw the loan"
      isDangerous
      isBusy={cancel.isPending}
      error={cancel.error}
      onConfirm={reason => cancel.mutate({ reason })}
    />
  )
}

type Planned = { date: string; amount: string }

export function SanctionDialogue({ base, detail, onClose }: Props) {
  const sanction = useDesk(base, 'sanction', 'The sanction is recorded.', onClose)
  const [tranches, setTranches] = useState<Planned[]>([{ date: '', amount: String(detail.loan.amount) }])
  const set = (index: number, change: Partial<Planned>): void =>
    setTranches(tranches.map((one, at) => (at === index ? { ...one, ...change } : one)))
  return (
    <FormDialogue
      title="Record the sanction"
      verb="The agreement is signed"
      isBusy={sanction.isPending}
      error={sanction.error}
      onSubmit={() =>
        sanction.mutate({ tranches: tranches.map(one => ({ ...one, amount: plainAmount(one.amount) })) })
      }
      onClose={onClose}
    >
      <p>
        How you will pay {formatRupees(detail.loan.amount)} to {detail.loan.institute}:
      </p>
      {tranches.map((one, index) => (
        <Group key={index} grow>
          <TextInput
            label={`Day of transfer ${index + 1}`}
            type="date"
            required
            value={one.date}
            onChange={event => set(index, { date: event.currentTarget.value })}
          />
          <TextInput
            label="Rupees"
            value={one.amount}
            onChange={event => set(index, { amount: event.currentTarget.value })}
            {...RUPEES}
          />
        </Group>
      ))}
      <Group>
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => setTranches([...tranches, { date: '', amount: '' }])}
        >
          Add a tranche
        </Button>
      </Group>
    </FormDialogue>
  )
}

export function DisburseDialogue({
  base,
  tranche,
  onClose,
}: {
  base: string
  tranche: Tranche
  onClose: () => void
}) {
  const disburse = useDesk(base, 'disburse', 'The transfer is recorded.', onClose)
  const form = useForm({ amount: String(tranche.amount) }, disburse.error)
  const { amount = '', date = '', utr = '' } = form.values
  return (
    <FormDialogue
      title="Record the transfer"
      verb="Record it"
      isBusy={disburse.isPending}
      error={disburse.error}
      onSubmit={() =>
        disburse.mutate({ disbursement_id: tranche.id, amount: plainAmount(amount), date, utr: utr.trim() })
      }
      onClose={onClose}
    >
      <Field form={form} name="utr" label="UTR of the transfer" required data-autofocus />
      <Field form={form} name="date" label="Day of the transfer" type="date" required />
      <Field
        form={form}
        name="amount"
        label="Rupees transferred"
        description="If it is less than the tranche, the rest becomes a tranche of its own."
        {...RUPEES}
      />
    </FormDialogue>
  )
}
