import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { LoanDetailAnswer } from '../../../../src/console/loans/loan.schemas.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { plainAmount } from '../../ui/form/amount.ts'
import { AmountInput } from '../../ui/form/amount-input.tsx'
import { DayInput } from '../../ui/form/day-input.tsx'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { notify } from '../../ui/toasts.tsx'
import { FormDialogue } from '../developers/form-dialogue.tsx'
import type { Tranche } from '../loans/loan-detail.tsx'
import { boundTo, Field, type Form, type Values } from '../../ui/form/field.tsx'

export type Props = { base: string; detail: LoanDetailAnswer; onClose: () => void }

export function useDesk(base: string, act: string, text: string, onClose: () => void) {
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

export function useForm(initial: Values, error: Error | null): Form {
  const [values, setValues] = useState<Values>(initial)
  return { values, error, set: changes => setValues({ ...values, ...changes }) }
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

type PlannedTranche = { date: string; amount: string }

export function SanctionDialogue({ base, detail, onClose }: Props) {
  const sanction = useDesk(base, 'sanction', 'The sanction is recorded.', onClose)
  const [tranches, setTranches] = useState<PlannedTranche[]>([
    { date: '', amount: String(detail.loan.amount) },
  ])
  const [why, setWhy] = useState('')
  const set = (index: number, change: Partial<PlannedTranche>): void =>
    setTranches(tranches.map((one, at) => (at === index ? { ...one, ...change } : one)))
  return (
    <FormDialogue
      title="Record the sanction"
      verb="The agreement is signed"
      isBusy={sanction.isPending}
      error={sanction.error}
      onSubmit={() =>
        sanction.mutate({
          tranches: tranches.map(one => ({ ...one, amount: plainAmount(one.amount) })),
          ...(why === '' ? {} : { without_letter: why }),
        })
      }
      onClose={onClose}
    >
      <p>
        How you will pay {formatRupees(detail.loan.amount)} to {detail.loan.institute}:
      </p>
      {tranches.map((one, index) => (
        <Group key={index} grow>
          <DayInput
            label={`Day of transfer ${index + 1}`}
            required
            error={problemOf(sanction.error, `tranches.${index}.date`)}
            value={one.date}
            onChange={date => set(index, { date })}
          />
          <AmountInput
            label="Rupees"
            required
            value={one.amount}
            onChange={amount => set(index, { amount })}
          />
          {tranches.length > 1 && (
            <Button
              variant="subtle"
              color="red"
              size="compact-sm"
              aria-label={`Remove transfer ${index + 1}`}
              onClick={() => setTranches(tranches.filter((_, at) => at !== index))}
            >
              Remove
            </Button>
          )}
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
      {detail.letters.length === 0 && (
        <TextInput
          label="Why no sanction letter is attached"
          description="Attach the letter before, or say why there is none."
          required
          maxLength={500}
          error={problemOf(sanction.error, 'without_letter')}
          value={why}
          onChange={event => setWhy(event.currentTarget.value)}
        />
      )}
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
      <DayInput label="Day of the transfer" required {...boundTo(form, 'date')} />
      <AmountInput
        label="Rupees transferred"
        description="If it is less than the tranche, the rest becomes a tranche of its own."
        required
        {...boundTo(form, 'amount')}
      />
    </FormDialogue>
  )
}
