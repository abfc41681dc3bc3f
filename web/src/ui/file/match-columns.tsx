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
  const [days, setDays] = useState<(string | null)[]>(columns.map(column => column.said_before ?? null))
  const missing = missingIn(names)
  const isDay = (index: number): boolean => dayFields.includes(names[index] ?? '')
  const isOpen = columns.some(
    (one, index) => one.open_day !== undefined && isDay(index) && days[index] === null,
  )
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
        columns={columns.map((column, index) => ({ ...column, isDay: isDay(index) }))}
        days={days}
        onChange={setDays}
      />
      <Notices missing={missing} isOpen={isOpen} isTwice={isTwice} />
      <Problem error={check.error} />
      <Group my="md">
        <Button
          type="submit"
          loading={check.isPending}
          disabled={missing.length > 0 || isTwice || isOpen || !isReady}
        >
          Check the file
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </form>
  )
}

function Notices({
  missing,
  isOpen,
  isTwice,
}: {
  missing: readonly string[]
  isOpen: boolean
  isTwice: boolean
}) {
  return (
    <>
      {missing.length > 0 && <Notice>{`Still missing: ${missing.join(', ')}.`}</Notice>}
      {isOpen && <Notice>Say above what the dates mean.</Notice>}
      {isTwice && <Notice>Two columns are matched to the same field. Leave one of them out.</Notice>}
    </>
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
  return columns.map(({ title, open_day: day, open_why: why, isDay }, index) =>
    day === undefined || !isDay ? null : (
      <NativeSelect
        key={title}
        label={`What ${day} means in “${title}”`}
        description={
          why === 'spreadsheet'
            ? 'Some dates of this column are texts and some are not: the spreadsheet may have exchanged day and month. Compare this one with the admission form.'
            : 'Nothing in this column says whether the day or the month comes first.'
        }
        maw={420}
        mt="md"
        value={days[index] ?? ''}
        onChange={event => onChange(days.with(index, event.currentTarget.value || null))}
        data={[{ value: '', label: 'Choose' }, ...meaningsOf(day)]}
      />
    ),
  )
}

/** 01/02/2015 both ways. */
function meaningsOf(day: string): { value: string; label: string }[] {
  const parts = day.split(/[^0-9]+/)
  const [year = '', first = '', second = ''] = /^\d{4}/.test(day) ? parts : [parts[2], parts[0], parts[1]]
  const full = year.length === 2 ? `20${year}` : year
  const dayOf = (month: string, date: string): string =>
    formatDay(`${full}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`)
  return [
    { value: 'dmy', label: `${dayOf(second, first)}: the day comes first` },
    { value: 'mdy', label: `${dayOf(first, second)}: the month comes first` },
  ]
}
