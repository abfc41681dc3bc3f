import { Alert, Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import type {
  ColumnsAnswer,
  RosterAnswer,
} from '../../../../../src/console/students/rosters/roster.output.ts'
import type { RosterField } from '../../../../../src/imports/kinds/roster/roster.rules.ts'
import { useCommand, wholeProblem } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { yearName } from '../../../ui/when.tsx'
import { useChoices, useCurrentYear } from '../use-student.ts'
import { columnOptions, FIELD_LABELS, REQUIRED } from './columns.ts'

/** Says what each column of a file is, as guessed, and has the file checked. */
export function MatchColumns({
  file,
  columns,
  onSent,
  onCancel,
}: {
  file: File
  columns: ColumnsAnswer['columns']
  onSent: (roster: RosterAnswer) => void
  onCancel: () => void
}) {
  const path = useInstitutePath()
  const choices = useChoices()
  const newest = Number(choices?.years[0]?.code ?? 0)
  const [names, setNames] = useState(columns.map(column => column.guess ?? ''))
  const [typedYear, setTypedYear] = useState<string>()
  const current = useCurrentYear()
  const year = typedYear ?? String(Math.max(newest, current))
  const missing = REQUIRED.filter(name => !names.includes(name))
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  const isYear = /^20\d\d$/.test(year)
  const check = useCommand<File, RosterAnswer>({
    method: 'POST',
    path: () =>
      `${path}/student-files?${new URLSearchParams({
        columns: JSON.stringify(names.map(name => name || null)),
        academic_year_start: year,
        academic_year_end: String(Number(year) + 1),
      }).toString()}`,
    refreshes: ['student-files'],
    onDone: onSent,
  })
  const problem = wholeProblem(check.error)
  return (
    <form
      aria-label="Match the columns"
      onSubmit={event => {
        event.preventDefault()
        check.mutate(file)
      }}
    >
      <p>
        {`What is in the columns of ${file.name}? Correct what was guessed wrongly. Nothing is registered yet.`}
      </p>
      <TextInput
        label="The academic year begins in"
        description={
          isYear ? `The students are registered for ${yearName(Number(year), Number(year) + 1)}.` : undefined
        }
        error={isYear ? undefined : 'Must be a year such as 2026'}
        maw={280}
        mb="md"
        value={year}
        onChange={event => setTypedYear(event.currentTarget.value)}
      />
      <ColumnTable columns={columns} names={names} onChange={setNames} />
      <Warnings missing={missing} isTwice={twice !== undefined} problem={problem} />
      <Group mt="md">
        <Button
          type="submit"
          loading={check.isPending}
          disabled={missing.length > 0 || twice !== undefined || !isYear}
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

function headingOf({ title, index }: { title: string; index: number }): string {
  return title || `Column ${index + 1}`
}

function Warnings({
  missing,
  isTwice,
  problem,
}: {
  missing: readonly RosterField[]
  isTwice: boolean
  problem: string | undefined
}) {
  return (
    <>
      {missing.length > 0 && (
        <Alert color="yellow" mt="md" role="status">
          {`Still missing: ${missing.map(name => FIELD_LABELS[name]).join(', ')}.`}
        </Alert>
      )}
      {isTwice && (
        <Alert color="yellow" mt="md" role="status">
          Two columns are matched to the same field. Leave one of them out.
        </Alert>
      )}
      {problem !== undefined && (
        <Alert color="red" mt="md" role="alert">
          {problem}
        </Alert>
      )}
    </>
  )
}

function ColumnTable({
  columns,
  names,
  onChange,
}: {
  columns: ColumnsAnswer['columns']
  names: readonly string[]
  onChange: (names: string[]) => void
}) {
  const choices = useChoices()
  return (
    <ShortTable
      name="Columns of the file"
      rows={columns.map((column, index) => ({ ...column, index }))}
      rowId={({ index }) => String(index)}
      columns={[
        { title: 'Column', cell: column => <strong>{headingOf(column)}</strong> },
        { title: 'First rows', cell: column => <span className="faint">{column.samples.join(', ')}</span> },
        {
          title: 'Is',
          cell: column => (
            <NativeSelect
              aria-label={`What ${headingOf(column)} is`}
              value={names[column.index] ?? ''}
              onChange={event => onChange(names.with(column.index, event.currentTarget.value))}
              data={columnOptions(column.guess, choices?.components ?? [])}
            />
          ),
        },
      ]}
    />
  )
}
