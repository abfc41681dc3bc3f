import { Button, Group, Stack, TextInput } from '@mantine/core'
import type { ChoicesAnswer } from '../../../../src/console/orders/order.output.ts'
import { problemOf } from '../../api/command.ts'
import { CodeList } from './field.tsx'

export type Line = { id: number; component_type: string; amount: string }

let count = 0
export const EMPTY_LINE: Line = { id: 0, component_type: '', amount: '' }
const MOST = 50

type Props = {
  lines: readonly Line[]
  onChange: (lines: Line[]) => void
  choices: ChoicesAnswer
  error: Error | null
}

export function LinesInput({ lines, onChange, choices, error }: Props) {
  const change = (at: number, part: Partial<Line>): void =>
    onChange(lines.map((line, index) => (index === at ? { ...line, ...part } : line)))
  return (
    <Stack gap="sm">
      {lines.map((line, index) => (
        <Group key={line.id} align="flex-start" wrap="wrap" role="group" aria-label={`Fee ${index + 1}`}>
          <TextInput
            label="Fee"
            description="A code, such as TUITION_FEE."
            list="components"
            required
            value={line.component_type}
            onChange={event => change(index, { component_type: event.currentTarget.value })}
            error={problemOf(error, `details.${index}.component_type`)}
          />
          <TextInput
            label="Amount"
            description="In rupees."
            inputMode="decimal"
            required
            value={line.amount}
            onChange={event => change(index, { amount: event.currentTarget.value })}
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
      <CodeList id="components" entries={choices.components} />
      <Group>
        <Button
          variant="default"
          size="xs"
          disabled={lines.length >= MOST}
          onClick={() => onChange([...lines, { ...EMPTY_LINE, id: ++count }])}
        >
          Add a fee
        </Button>
      </Group>
    </Stack>
  )
}
