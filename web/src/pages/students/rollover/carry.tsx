import { Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { errorProps, type FieldProblem } from './problems.ts'

/** The component that carries it; null: it stays on the old record. */
export type Carry = { dues: string | null; advance: string | null }

const KINDS = [
  {
    key: 'dues',
    fallback: 'PREVIOUS_YEAR_DUES',
    label: 'Carry what is still due into the new year',
    description:
      'It becomes a fee of the new record and counts as settled on the old one, so it is owed once. Unticked, it stays due on the old record.',
    field: 'Dues become the fee',
  },
  {
    key: 'advance',
    fallback: 'PREVIOUS_YEAR_ADVANCE',
    label: 'Carry what was paid too much into the new year',
    description:
      'Named like a fee of the new year, such as TUITION_FEE, it pays that fee. Under another name it stands as an advance on the new record. Unticked, it stays on the old record.',
    field: 'Advance is named',
  },
] as const

export function CarryForward({
  value,
  onChange,
  problems,
}: {
  value: Carry
  onChange: (carry: Carry) => void
  problems: readonly FieldProblem[]
}) {
  return (
    <fieldset>
      <legend>Dues and advances of this year</legend>
      <Stack gap="md">
        {KINDS.map(({ key, fallback, label, description, field }) => (
          <Stack key={key} gap="xs">
            <Checkbox
              label={label}
              description={description}
              checked={value[key] !== null}
              onChange={event => onChange({ ...value, [key]: event.currentTarget.checked ? fallback : null })}
            />
            {value[key] !== null && (
              <TextInput
                label={field}
                maw={320}
                maxLength={64}
                required
                value={value[key]}
                {...errorProps(problems, `carry_${key}_as`)}
                onChange={event => onChange({ ...value, [key]: event.currentTarget.value })}
              />
            )}
          </Stack>
        ))}
      </Stack>
    </fieldset>
  )
}

type Year = { start: string; end: string }

export function NewYear({
  value,
  onChange,
  problems,
}: {
  value: Year
  onChange: (year: Year) => void
  problems: readonly FieldProblem[]
}) {
  return (
    <Group role="group" aria-label="The new year">
      <TextInput
        label="New year begins in"
        inputMode="numeric"
        required
        maw={200}
        value={value.start}
        onChange={event => onChange({ ...value, start: event.currentTarget.value })}
        {...errorProps(problems, 'to_academic_year_start')}
      />
      <TextInput
        label="and ends in"
        inputMode="numeric"
        required
        maw={200}
        value={value.end}
        onChange={event => onChange({ ...value, end: event.currentTarget.value })}
        {...errorProps(problems, 'to_academic_year_end')}
      />
    </Group>
  )
}
