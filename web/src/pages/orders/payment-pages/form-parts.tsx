import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { problemOf } from '../../../api/command.ts'
import { KNOWN_FIELDS, newField, newLine, type PageField, type PageLine } from './form.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'

type Props<Item> = { items: readonly Item[]; onChange: (items: Item[]) => void; error: Error | null }

function changeAt<Item>(items: readonly Item[], at: number, part: Partial<Item>): Item[] {
  return items.map((item, index) => (index === at ? { ...item, ...part } : item))
}

export function PageLines({ items, onChange, error }: Props<PageLine>) {
  return (
    <Stack gap="md">
      {items.map((line, index) => (
        <LineInput
          key={line.id}
          line={line}
          index={index}
          error={error}
          onChange={part => onChange(changeAt(items, index, part))}
          onRemove={items.length > 1 ? () => onChange(items.filter((_, at) => at !== index)) : undefined}
        />
      ))}
      <Group>
        <Button
          variant="default"
          size="xs"
          disabled={items.length >= 20}
          onClick={() => onChange([...items, newLine()])}
        >
          Add an item
        </Button>
      </Group>
    </Stack>
  )
}

type LineProps = {
  line: PageLine
  index: number
  error: Error | null
  onChange: (part: Partial<PageLine>) => void
  onRemove: (() => void) | undefined
}

function LineInput({ line, index, error, onChange, onRemove }: LineProps) {
  const amount = (name: 'amount' | 'min_amount' | 'max_amount') => ({
    value: line[name],
    onChange: (value: string) => onChange({ [name]: value }),
    error: problemOf(error, `details.${index}.${name}`),
  })
  const input = (name: 'component_type' | 'label' | 'max_quantity') => ({
    value: line[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ [name]: event.currentTarget.value }),
    error: problemOf(error, `details.${index}.${name}`),
  })
  return (
    <div className="form-item" role="group" aria-label={`Line ${index + 1}`}>
      <Group align="flex-start">
        <TextInput label="Fee" list="components" required {...input('component_type')} />
        <TextInput label="What payers read" placeholder="Such as Adult ticket" {...input('label')} />
        <NativeSelect
          label="Price"
          value={line.isChosen ? 'chosen' : 'fixed'}
          onChange={event => onChange({ isChosen: event.currentTarget.value === 'chosen' })}
          data={[
            { value: 'fixed', label: 'Fixed' },
            { value: 'chosen', label: 'The payer chooses' },
          ]}
        />
        {line.isChosen ? (
          <>
            <AmountInput label="At least" {...amount('min_amount')} />
            <AmountInput label="At most" {...amount('max_amount')} />
          </>
        ) : (
          <>
            <AmountInput label="Amount" required {...amount('amount')} />
            <TextInput label="How many at most" inputMode="numeric" {...input('max_quantity')} />
          </>
        )}
      </Group>
      <Group mt="xs">
        <Checkbox
          label="Payers can leave it out"
          checked={line.is_optional}
          onChange={event => onChange({ is_optional: event.currentTarget.checked })}
        />
        {onRemove !== undefined && (
          <Button variant="default" size="xs" onClick={onRemove}>
            Remove
          </Button>
        )}
      </Group>
    </div>
  )
}

const OWN = 'own'

export function PageFields({ items, onChange, error }: Props<PageField>) {
  return (
    <Stack gap="md">
      {items.map((field, index) => (
        <FieldInput
          key={field.id}
          field={field}
          index={index}
          error={error}
          onChange={part => onChange(changeAt(items, index, part))}
          onRemove={() => onChange(items.filter((_, at) => at !== index))}
        />
      ))}
      <Group>
        <Button
          variant="default"
          size="xs"
          disabled={items.length >= 20}
          onClick={() => onChange([...items, newField()])}
        >
          Add a question
        </Button>
      </Group>
    </Stack>
  )
}

type FieldProps = {
  field: PageField
  index: number
  error: Error | null
  onChange: (part: Partial<PageField>) => void
  onRemove: () => void
}

function FieldInput({ field, index, error, onChange, onRemove }: FieldProps) {
  const isKnown = KNOWN_FIELDS.some(({ value }) => value === field.key)
  return (
    <div className="form-item" role="group" aria-label={`Question ${index + 1}`}>
      <Group align="flex-start">
        <NativeSelect
          label="Ask for"
          value={isKnown ? field.key : OWN}
          onChange={event => {
            const { value } = event.currentTarget
            onChange({ key: value === OWN ? '' : value })
          }}
          data={[...KNOWN_FIELDS, { value: OWN, label: 'Something else' }]}
        />
        {!isKnown && (
          <TextInput
            label="Key"
            description="Lower-case letters, for example bus_route."
            required
            value={field.key}
            onChange={event => onChange({ key: event.currentTarget.value })}
            error={problemOf(error, `fields.${index}.key`)}
          />
        )}
        <TextInput
          label="What payers read"
          required={!isKnown}
          value={field.label}
          onChange={event => onChange({ label: event.currentTarget.value })}
          error={problemOf(error, `fields.${index}.label`)}
        />
        <TextInput
          label="Choices"
          description="Separated by commas. Leave empty for free text."
          value={field.options}
          onChange={event => onChange({ options: event.currentTarget.value })}
          error={problemOf(error, `fields.${index}.options`)}
        />
      </Group>
      <Group mt="xs">
        <Checkbox
          label="Must be filled in"
          checked={field.is_required}
          onChange={event => onChange({ is_required: event.currentTarget.checked })}
        />
        <Button variant="default" size="xs" onClick={onRemove}>
          Remove
        </Button>
      </Group>
    </div>
  )
}
