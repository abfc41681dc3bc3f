import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import type { Choices } from '../../api/choices.ts'
import { problemOf } from '../../api/command.ts'
import { AmountInput } from '../../ui/form/amount-input.tsx'
import { readable } from '../../ui/words.ts'

/** `isNew`: a fee that the institute does not have yet, added on purpose. */
export type Line = { id: number; component_type: string; amount: string; isNew: boolean }

let count = 0
export const EMPTY_LINE: Line = { id: 0, component_type: '', amount: '', isNew: false }
const MOST = 50
const NEW = '\u0000new'

export function newLine(component_type: string, amount: string): Line {
  return { id: ++count, component_type, amount, isNew: false }
}

type Props = {
  lines: readonly Line[]
  onChange: (lines: Line[]) => void
  choices: Choices
  /** What a student owes of its fees, by code; these come first. */
  owed: ReadonlyMap<string, string>
  error: Error | null
}

export function LinesInput({ lines, onChange, choices, owed, error }: Props) {
  const change = (at: number, part: Partial<Line>): void =>
    onChange(lines.map((line, index) => (index === at ? { ...line, ...part } : line)))
  const others = choices.components.filter(({ code }) => !owed.has(code))
  const options = [
    { value: '', label: 'Choose' },
    ...[...owed].map(([value, amount]) => ({ value, label: `${readable(value)}, ${amount} left to pay` })),
    ...others.map(({ code, name }) => ({ value: code, label: readable(name) })),
    ...(choices.is_strict ? [] : [{ value: NEW, label: 'A new fee…' }]),
  ]
  return (
    <Stack gap="sm">
      {lines.map((line, index) => (
        <Group key={line.id} align="flex-start" wrap="wrap" role="group" aria-label={`Fee ${index + 1}`}>
          <NativeSelect
            label="Fee"
            description="Of this institute."
            required
            data={options}
            value={line.isNew ? NEW : line.component_type}
            onChange={({ currentTarget: { value } }) =>
              change(
                index,
                value === NEW ? { component_type: '', isNew: true } : { component_type: value, isNew: false },
              )
            }
            error={line.isNew ? undefined : problemOf(error, `details.${index}.component_type`)}
          />
          {line.isNew && (
            <TextInput
              label="Name of the new fee"
              description="It joins the institute’s fees."
              required
              maxLength={64}
              value={line.component_type}
              onChange={event => change(index, { component_type: event.currentTarget.value })}
              error={problemOf(error, `details.${index}.component_type`)}
            />
          )}
          <AmountInput
            label="Amount"
            description="In rupees."
            required
            value={line.amount}
            onChange={amount => change(index, { amount })}
            error={problemOf(error, `details.${index}.amount`)}
          />
          {lines.length > 1 && (
            <Button
              variant="default"
              className="beside-field"
              onClick={() => onChange(lines.filter((_, at) => at !== index))}
            >
              Remove
            </Button>
          )}
        </Group>
      ))}
      <Group>
        <Button
          variant="default"
          size="xs"
          disabled={lines.length >= MOST}
          onClick={() => onChange([...lines, newLine('', '')])}
        >
          Add a fee
        </Button>
      </Group>
    </Stack>
  )
}
