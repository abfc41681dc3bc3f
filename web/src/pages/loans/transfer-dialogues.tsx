import { Button, Group, Radio, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { problemOf, useCommand } from '../../api/command.ts'
import { plainAmount } from '../../ui/form/amount.ts'
import { AmountInput } from '../../ui/form/amount-input.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { notify } from '../../ui/toasts.tsx'
import { formatMoment } from '../../ui/when.tsx'
import { FormDialogue } from '../developers/form-dialogue.tsx'
import type { Transfer } from './loan-detail.tsx'

type Props = { base: string; transfer: Transfer; onClose: () => void }

export const LOAN_REFRESHES = ['loans', 'audit', 'home', 'money']

export function ConfirmDialogue({ base, transfer, onClose }: Props) {
  const { number, utr, amount: reported, reported_at: at } = transfer
  const [amount, setAmount] = useState(String(reported))
  const confirm = useCommand<{ number: number; received: boolean; amount?: string }>({
    method: 'POST',
    path: `${base}/confirm`,
    refreshes: LOAN_REFRESHES,
    onDone(_, { received }) {
      notify(received ? 'The money counts as received.' : 'The lender sees that it did not arrive.')
      onClose()
    },
  })
  return (
    <FormDialogue
      title="Is this transfer on your bank statement?"
      verb="Yes, it has arrived"
      isBusy={confirm.isPending}
      error={confirm.error}
      onSubmit={() => confirm.mutate({ number, received: true, amount: plainAmount(amount) })}
      onClose={onClose}
    >
      <p>
        The lender reported <strong>{formatRupees(reported)}</strong> with the UTR <strong>{utr}</strong> on{' '}
        {formatMoment(at)}. Look for it on the statement of your bank account. The fees count as paid once you
        confirm it.
      </p>
      <AmountInput
        label="Rupees on the statement"
        description="Less, if the bank kept something or the lender sent less: the rest stays due."
        required
        value={amount}
        error={problemOf(confirm.error, 'amount')}
        onChange={setAmount}
      />
      <p>
        If it did not arrive, the lender is asked to transfer it again. Should this one arrive later all the
        same, confirm it then: what is more than due becomes an advance.
      </p>
      <Group>
        <Button variant="subtle" color="red" onClick={() => confirm.mutate({ number, received: false })}>
          No, it did not arrive
        </Button>
      </Group>
    </FormDialogue>
  )
}

type Returned = { number: number; reason: string; amount?: string; utr?: string }

/** Takes a confirmed transfer, or a part of it, out of the books again. */
export function ReturnDialogue({ base, transfer, onClose }: Props) {
  const left = transfer.amount - transfer.returned_amount
  const [kind, setKind] = useState('mistake')
  const [values, setValues] = useState({ amount: String(left), utr: '', reason: '' })
  const isPaidBack = kind === 'paid-back'
  const give = useCommand<Returned>({
    method: 'POST',
    path: `${base}/return`,
    refreshes: LOAN_REFRESHES,
    onDone() {
      notify('It is taken out of the books. What it paid is due again.')
      onClose()
    },
  })
  const amount = {
    value: values.amount,
    required: true,
    error: problemOf(give.error, 'amount'),
    onChange: (value: string) => setValues({ ...values, amount: value }),
  }
  const field = (name: 'utr' | 'reason') => ({
    value: values[name],
    required: true,
    error: problemOf(give.error, name),
    onChange: (event: { currentTarget: { value: string } }) =>
      setValues({ ...values, [name]: event.currentTarget.value }),
  })
  const { number } = transfer
  const { reason } = values
  return (
    <FormDialogue
      title={`${formatRupees(left)} that is not yours`}
      verb="Take it out of the books"
      isBusy={give.isPending}
      error={give.error}
      onSubmit={() =>
        give.mutate(
          isPaidBack
            ? { number, reason, amount: plainAmount(values.amount), utr: values.utr.trim() }
            : { number, reason },
        )
      }
      onClose={onClose}
    >
      <Radio.Group label="What happened?" value={kind} onChange={setKind}>
        <Stack gap="xs" mt="xs">
          <Radio
            value="mistake"
            label="It was confirmed by mistake"
            description="It never arrived. The lender owes it again."
          />
          <Radio
            value="paid-back"
            label="We paid it back to the lender"
            description="From the bank account, whole or in part."
          />
        </Stack>
      </Radio.Group>
      {isPaidBack && (
        <>
          <AmountInput label="Rupees paid back" {...amount} />
          <TextInput label="UTR of your transfer to the lender" {...field('utr')} />
        </>
      )}
      <TextInput label="Why" {...field('reason')} />
    </FormDialogue>
  )
}
