import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ColumnsAnswer } from '../../../../../src/console/lists/columns.output.ts'
import type { RosterAnswer } from '../../../../../src/console/students/rosters/roster.output.ts'
import { useCommand, wholeProblem } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { ColumnTable, ColumnWarnings, hasTwice } from './column-table.tsx'
import { yearName } from '../../../ui/when.tsx'
import { useChoices, useCurrentYear } from '../use-student.ts'
import { FIELD_LABELS, REQUIRED } from './columns.ts'

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
  const isTwice = hasTwice(names)
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
      <ColumnTable
        columns={columns}
        names={names}
        onChange={setNames}
        fields={{ group: 'Student', labels: FIELD_LABELS }}
        fees={{ group: 'Fee, rupees for the year', known: choices?.components ?? [] }}
      />
      <ColumnWarnings missing={missing.map(name => FIELD_LABELS[name])} isTwice={isTwice} problem={problem} />
      <Group mt="md">
        <Button type="submit" loading={check.isPending} disabled={missing.length > 0 || isTwice || !isYear}>
          Check the file
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </form>
  )
}
