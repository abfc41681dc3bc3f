import { Alert, Button, Group, NativeSelect } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import type { FileColumnsAnswer } from '../../../../src/console/lists/list.schemas.ts'
import { useCommand } from '../../api/command.ts'
import { Problem } from '../problem.tsx'
import { formatDay } from '../when.tsx'
import { ColumnTable, type Fields } from './column-table.tsx'

/** Says what each column of a file is, as guessed, and has the file checked. */
export function MatchColumns({
  file,
  columns,
  path,
  query = {},
  refreshes,
  fields,
  fees,
  dayFields,
  missingIn,
  note,
  isReady = true,
  onSent,
  onCancel,
  children,
}: {
  file: File
  columns: FileColumnsAnswer['columns']
  /** Where the file is sent, with what its columns are. */
  path: string
  query?: Record<string, string>
  refreshes: readonly string[]
  fields: Fields
  /** What a column of a fee holds. */
  fees: string
  /** The fields that are days. */
  dayFields: readonly string[]
  /** What no column has yet, as the office calls it. */
  missingIn: (names: readonly string[]) => readonly string[]
  /** What has not been done by sending it. */
  note: string
  /** Whether the fields of the form’s own are right. */
  isReady?: boolean
  onSent: (id: string) => void
  onCancel: () => void
  /** Fields of the form’s own, above the columns. */
  children?: ReactNode
}) {
  const [names, setNames] = useState(columns.map(column => column.guess ?? ''))
  const [days, setDays] = useState<(string | null)[]>(columns.map(() => null))
  const missing = missingIn(names)
  const isTwice = names.some((name, index) => name !== '' && names.indexOf(name) !== index)
  const matched = JSON.stringify(names.map(name => name || null))
  const check = useCommand<File, { id: string }>({
    method: 'POST',
    path: () =>
      `${path}?${new URLSearchParams({ columns: matched, days: JSON.stringify(days), ...query }).toString()}`,
    refreshes,
    onDone: ({ id }) => onSent(id),
  })
  return (
    <form
      aria-label="Match the columns"
      onSubmit={event => {
        event.preventDefault()
        check.mutate(file)
      }}
    >
      <p>{`What is in the columns of ${file.name}? Correct what was guessed wrongly. ${note}`}</p>
      {children}
      <ColumnTable columns={columns} names={names} onChange={setNames} fields={fields} fees={fees} />
      <OpenDays
        columns={columns.map((column, index) => ({
          ...column,
          isDay: dayFields.includes(names[index] ?? ''),
        }))}
        days={days}
        onChange={setDays}
      />
      {missing.length > 0 && <Notice>{`Still missing: ${missing.join(', ')}.`}</Notice>}
      {isTwice && <Notice>Two columns are matched to the same field. Leave one of them out.</Notice>}
      <Problem error={check.error} />
      <Group my="md">
        <Button type="submit" loading={check.isPending} disabled={missing.length > 0 || isTwice || !isReady}>
          Check the file
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </form>
  )
}

function Notice({ children }: { children: string }) {
  return (
    <Alert color="yellow" mt="md" role="status">
      {children}
    </Alert>
  )
}

/** Asks once for each column whose days could be meant in two ways. */
function OpenDays({
  columns,
  days,
  onChange,
}: {
  columns: readonly (FileColumnsAnswer['columns'][number] & { isDay: boolean })[]
  days: readonly (string | null)[]
  onChange: (days: (string | null)[]) => void
}) {
  return columns.map(({ title, open_day: day, isDay }, index) =>
    day === undefined || !isDay ? null : (
      <NativeSelect
        key={title}
        label={`What ${day} means in “${title}”`}
        description="Nothing in this column says whether the day or the month comes first."
        maw={420}
        mt="md"
        value={days[index] ?? 'dmy'}
        onChange={event => onChange(days.with(index, event.currentTarget.value))}
        data={meaningsOf(day)}
      />
    ),
  )
}

/** 01/02/2015 both ways. */
function meaningsOf(day: string): { value: string; label: string }[] {
  const [first = '', second = '', year = ''] = day.split(/[^0-9]+/)
  const full = year.length === 2 ? `20${year}` : year
  const dayOf = (month: string, date: string): string =>
    formatDay(`${full}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`)
  return [
    { value: 'dmy', label: `${dayOf(second, first)}: the day comes first` },
    { value: 'mdy', label: `${dayOf(first, second)}: the month comes first` },
  ]
}
