import { Button, Radio, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReturnedChequeAnswer } from '../../../../../src/banking/cheques/cheque.schemas.ts'
import { problemOf } from '../../../api/command.ts'
import { plainAmount } from '../../../ui/form/amount.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { useDecision, type LineProps } from './use-decision.ts'

/** A cheque whose money the bank took back. */
export function BounceForm({ cheques, ...props }: LineProps & { cheques: readonly ReturnedChequeAnswer[] }) {
  const [first, ...others] = cheques
  const [chosen, setChosen] = useState(others.length === 0 ? (first?.payment_id ?? '') : '')
  const [reason, setReason] = useState('')
  const [charge, setCharge] = useState('')
  const bounce = useDecision<Record<string, unknown>>(
    props,
    'bounce',
    'The cheque bounced: its money is due again.',
  )
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        bounce.mutate({
          payment_id: chosen,
          reason: reason.trim(),
          ...(charge.trim() === '' ? {} : { charge_amount: plainAmount(charge) }),
        })
      }}
    >
      <Stack gap="md">
        <Radio.Group label="Which cheque came back" value={chosen} onChange={setChosen}>
          {cheques.map(one => (
            <Radio
              key={one.payment_id}
              mt="xs"
              value={one.payment_id}
              label={`Cheque ${one.number}${one.bank === undefined ? '' : `, ${one.bank}`}: ${one.student_name}`}
              description={one.is_named ? 'The bank names this number.' : 'The same amount.'}
            />
          ))}
        </Radio.Group>
        <TextInput
          label="The bank’s reason"
          required
          placeholder="Funds insufficient"
          value={reason}
          onChange={event => setReason(event.currentTarget.value)}
          error={problemOf(bounce.error, 'reason')}
        />
        <AmountInput
          label="Charge for it, rupees"
          description="Added to what the family owes. Empty: none."
          value={charge}
          onChange={setCharge}
          error={problemOf(bounce.error, 'charge_amount')}
        />
      </Stack>
      <Problem error={bounce.error} />
      <Button
        type="submit"
        mt="md"
        color="red.8"
        loading={bounce.isPending}
        disabled={chosen === '' || reason.trim() === ''}
      >
        Take the money back
      </Button>
    </form>
  )
}
