import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { problemOf } from '../../api/command.ts'
import { useMay } from '../../api/session.ts'
import { ProblemAlert } from '../../ui/problem.tsx'
import { COUNTER_MODES, plainAmount } from '../students/texts.ts'

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
  const set = (key: keyof HandedFields) => (event: { currentTarget: { value: string } }) =>
    onChange({ ...fields, [key]: event.currentTarget.value })
  // A cashier writes down what is handed over now, and waives nothing.
  const isCashier = useMay('cashier')
  const waiver = problemOf(error, 'waive_late_fee_reason')
  const isInstrument = fields.mode === 'cheque' || fields.mode === 'demand_draft'
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing="sm">
      <TextInput
        label="Amount, rupees"
        inputMode="decimal"
        required
        value={fields.amount}
        onChange={set('amount')}
        error={problemOf(error, 'amount') ?? amountProblem(fields.amount)}
      />
      <NativeSelect
        label="How"
        data={COUNTER_MODES}
        value={fields.mode}
        onChange={set('mode')}
        error={problemOf(error, 'mode')}
      />
      {!isCashier && (
        <TextInput
          label="Paid on"
          type="date"
          max={today}
          value={fields.paid_at}
          onChange={set('paid_at')}
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
          <TextInput label="Date on it" type="date" value={fields.date ?? ''} onChange={set('date')} />
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

/** What is wrong with an amount as typed. */
export function amountProblem(typed: string): string | undefined {
  const amount = plainAmount(typed)
  const isAmount = amount === '' || /^\d+(\.\d{0,2})?$/.test(amount)
  return isAmount ? undefined : 'Type an amount in rupees with at most two decimals.'
}
