import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { problemOf } from '../../api/command.ts'
import { useMay } from '../../api/session.ts'
import { AmountInput } from '../../ui/form/amount-input.tsx'
import { DayInput } from '../../ui/form/day-input.tsx'
import { ProblemAlert } from '../../ui/problem.tsx'
import { COUNTER_MODES } from '../students/texts.ts'

export type HandedFields = {
  amount: string
  mode: string
  paid_at: string
  /** Number of a cheque or draft. */
  number?: string
  bank?: string
  date?: string
  /** Reference of a card slip, UPI payment or transfer. */
  reference?: string
  waive_late_fee_reason?: string
}

type Props = {
  fields: HandedFields
  onChange: (fields: HandedFields) => void
  today: string
  error: Error | null
}

/** What was handed over, and how. */
export function Handed({ fields, onChange, today, error }: Props) {
  const put = (key: keyof HandedFields) => (value: string) => onChange({ ...fields, [key]: value })
  const set = (key: keyof HandedFields) => (event: { currentTarget: { value: string } }) =>
    put(key)(event.currentTarget.value)
  // A cashier writes down what is handed over now, and waives nothing.
  const isCashier = useMay('cashier')
  const waiver = problemOf(error, 'waive_late_fee_reason')
  const isInstrument = fields.mode === 'cheque' || fields.mode === 'demand_draft'
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing="sm">
      <AmountInput
        label="Amount, rupees"
        required
        value={fields.amount}
        onChange={put('amount')}
        error={problemOf(error, 'amount')}
      />
      <NativeSelect
        label="How"
        data={COUNTER_MODES}
        value={fields.mode}
        onChange={set('mode')}
        error={problemOf(error, 'mode')}
      />
      {!isCashier && (
        <DayInput
          label="Paid on"
          max={today}
          value={fields.paid_at}
          onChange={put('paid_at')}
          error={problemOf(error, 'paid_at')}
        />
      )}
      {isInstrument && (
        <>
          <TextInput
            label="Number on it"
            required
            value={fields.number ?? ''}
            onChange={set('number')}
            error={problemOf(error, 'instrument.number')}
          />
          <TextInput label="Bank" value={fields.bank ?? ''} onChange={set('bank')} />
          <DayInput label="Date on it" value={fields.date ?? ''} onChange={put('date')} />
        </>
      )}
      {!isInstrument && fields.mode !== 'cash' && (
        <TextInput
          label="Reference"
          description="Of the slip or the transfer."
          value={fields.reference ?? ''}
          onChange={set('reference')}
          error={problemOf(error, 'transaction_id')}
        />
      )}
      {waiver !== undefined && isCashier && (
        <ProblemAlert>
          A late fee is due. Take it as a line below, or ask finance to waive it first.
        </ProblemAlert>
      )}
      {waiver !== undefined && !isCashier && (
        <TextInput
          label="Why the late fee is waived"
          description="Or take it as a line below."
          value={fields.waive_late_fee_reason ?? ''}
          onChange={set('waive_late_fee_reason')}
          error={waiver}
        />
      )}
    </SimpleGrid>
  )
}
