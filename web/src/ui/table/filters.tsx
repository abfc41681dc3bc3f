import { Button, CloseButton, NativeSelect, Popover, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { DayInput } from '../form/day-input.tsx'
import { notifyWithUndo } from '../toasts.tsx'
import { shownValue, type Filter, type FilterValues } from './use-filters.ts'

type Props = {
  filters: readonly Filter[]
  values: FilterValues
  onChange: (values: Readonly<Record<string, string | undefined>>) => void
}

/** What is filtered by, as chips that go away one by one, and the place to add more. */
export function TableFilters({ filters, values, onChange }: Props) {
  const chosen = filters.filter(({ key }) => values[key] !== undefined)
  const clear = (): void => {
    const { pathname } = window.location
    onChange(Object.fromEntries(chosen.map(({ key }) => [key, undefined])))
    notifyWithUndo('The filters are cleared.', () => {
      // Whoever has gone on to another page has no use for them there.
      if (window.location.pathname === pathname) onChange(values)
    })
  }
  return (
    <div className="chips">
      <FilterForm filters={filters} values={values} onChange={onChange} />
      {chosen.map(filter => {
        const value = shownValue(filter, values[filter.key] ?? '')
        return (
          <span key={filter.key} className="chip">
            {filter.label}: <strong>{value}</strong>
            <CloseButton
              size="sm"
              radius="xl"
              aria-label={`Remove the filter ${filter.label}: ${value}`}
              onClick={() => onChange({ [filter.key]: undefined })}
            />
          </span>
        )
      })}
      {chosen.length > 1 && (
        <Button variant="subtle" size="compact-sm" onClick={clear}>
          Clear all
        </Button>
      )}
    </div>
  )
}

function FilterForm({ filters, values, onChange }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const [draft, setDraft] = useState<Record<string, string>>({})
  const open = (): void => {
    setDraft({ ...values })
    setIsOpen(!isOpen)
  }
  return (
    <Popover
      opened={isOpen}
      onChange={setIsOpen}
      position="bottom-start"
      shadow="md"
      width={280}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button variant="default" size="xs" onClick={open}>
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          aria-label="Filters"
          onSubmit={event => {
            event.preventDefault()
            setIsOpen(false)
            onChange(Object.fromEntries(filters.map(({ key }) => [key, draft[key]?.trim() || undefined])))
          }}
        >
          <Stack gap="xs">
            {filters.map(filter => (
              <FilterField
                key={filter.key}
                filter={filter}
                value={draft[filter.key] ?? ''}
                onChange={value => setDraft({ ...draft, [filter.key]: value })}
              />
            ))}
            <Button type="submit" size="sm">
              Apply
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}

function FilterField({
  filter: { label, kind, options },
  value,
  onChange,
}: {
  filter: Filter
  value: string
  onChange: (value: string) => void
}) {
  if (options !== undefined) {
    return (
      <NativeSelect
        label={label}
        value={value}
        onChange={event => onChange(event.currentTarget.value)}
        data={[{ value: '', label: 'Any' }, ...options]}
      />
    )
  }
  if (kind === 'day') return <DayInput label={label} value={value} onChange={onChange} />
  return <TextInput label={label} value={value} onChange={event => onChange(event.currentTarget.value)} />
}
