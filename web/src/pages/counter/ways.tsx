import { Button, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { problemOf } from '../../api/command.ts'
import { plainAmount, rupeesOf } from '../../ui/form/amount.ts'
import { AmountInput } from '../../ui/form/amount-input.tsx'
import { DayInput } from '../../ui/form/day-input.tsx'
import { formatRupees, sumRupees } from '../../ui/money.tsx'
import { COUNTER_MODES } from '../students/texts.ts'

export type Way = {
  mode: string
  /** Typed; of the first it is what the others leave. */
  amount: string
  number: string
  bank: string
  date: string
  reference: string
}

export const WAY: Way = { mode: 'cash', amount: '', number: '', bank: '', date: '', reference: '' }
const MOST_WAYS = 5

/** What is left for the first way. */
function restOf(ways: readonly Way[], total: number): number {
  return sumRupees([total, ...ways.slice(1).map(way => -rupeesOf(way.amount))])
}

export function waysToSend(ways: readonly Way[], total: number) {
  return ways.map(({ mode, amount, number, bank, date, reference }, index) => ({
    mode,
    amount: index === 0 ? restOf(ways, total) : plainAmount(amount),
    ...(isInstrument(mode)
      ? { instrument: { number, ...(bank && { bank }), ...(date && { date }) } }
      : mode !== 'cash' && reference !== '' && { reference }),
  }))
}

function isInstrument(mode: string): boolean {
  return mode === 'cheque' || mode === 'demand_draft'
}

type Props = {
  ways: readonly Way[]
  total: number
  onChange: (ways: readonly Way[]) => void
  error: Error | null
}

/** How the sum is handed over. The first way takes what the others leave, so that one way needs no typing. */
export function Ways({ ways, total, onChange, error }: Props) {
  const rest = restOf(ways, total)
  return (
    <fieldset>
      <legend>How it is handed over</legend>
      {ways.map((way, index) => (
        <WayFields
          // They are only added and taken away at the end.
          key={index}
          no={index}
          way={way}
          rest={index === 0 ? rest : null}
          onChange={changed => onChange(ways.map((one, at) => (at === index ? changed : one)))}
          error={error}
        />
      ))}
      <Group gap="sm" mt="sm">
        {ways.length < MOST_WAYS && (
          <Button variant="default" size="xs" onClick={() => onChange([...ways, { ...WAY, mode: 'cheque' }])}>
            Another way
          </Button>
        )}
        {ways.length > 1 && (
          <Button variant="default" size="xs" onClick={() => onChange(ways.slice(0, -1))}>
            One way less
          </Button>
        )}
      </Group>
      {problemOf(error, 'ways') !== undefined && <p role="alert">{problemOf(error, 'ways')}</p>}
    </fieldset>
  )
}

type FieldsProps = {
  no: number
  way: Way
  rest: number | null
  onChange: (way: Way) => void
  error: Error | null
}

function WayFields({ no, way, rest, onChange, error }: FieldsProps) {
  const of = no === 0 ? '' : ` ${no + 1}`
  const put = (key: keyof Way) => (value: string) => onChange({ ...way, [key]: value })
  const set = (key: keyof Way) => (event: { currentTarget: { value: string } }) =>
    put(key)(event.currentTarget.value)
  const problem = (field: string): string | undefined => problemOf(error, `ways.${no}.${field}`)
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, sm: 5 }} spacing="sm" mb="sm">
      <NativeSelect
        label={`How${of}`}
        data={COUNTER_MODES}
        value={way.mode}
        onChange={set('mode')}
        error={problem('mode')}
      />
      {rest === null ? (
        <AmountInput
          label={`Amount${of}, rupees`}
          required
          value={way.amount}
          onChange={put('amount')}
          error={problem('amount')}
        />
      ) : (
        <TextInput
          label="Amount"
          readOnly
          value={formatRupees(rest)}
          error={rest < 0 ? 'The other ways are more than the sum.' : problem('amount')}
        />
      )}
      {isInstrument(way.mode) && (
        <>
          <TextInput
            label={`Number on it${of}`}
            required
            value={way.number}
            onChange={set('number')}
            error={problem('instrument.number')}
          />
          <TextInput label={`Bank${of}`} value={way.bank} onChange={set('bank')} />
          <DayInput label={`Date on it${of}`} value={way.date} onChange={put('date')} />
        </>
      )}
      {!isInstrument(way.mode) && way.mode !== 'cash' && (
        <TextInput
          label={`Reference${of}`}
          description="Of the slip or the transfer."
          value={way.reference}
          onChange={set('reference')}
          error={problem('reference')}
        />
      )}
    </SimpleGrid>
  )
}
