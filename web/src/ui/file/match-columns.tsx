import { Alert, Button, Group } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import type { ColumnsAnswer } from '../../../../src/console/lists/columns.output.ts'
import { useCommand } from '../../api/command.ts'
import { Problem } from '../problem.tsx'
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
  missingIn,
  note,
  isReady = true,
  onSent,
  onCancel,
  children,
}: {
  file: File
  columns: ColumnsAnswer['columns']
  /** Where the file is sent, with what its columns are. */
  path: string
  query?: Record<string, string>
  refreshes: readonly string[]
  fields: Fields
  /** What a column of a fee holds. */
  fees: string
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
  const missing = missingIn(names)
  const isTwice = names.some((name, index) => name !== '' && names.indexOf(name) !== index)
  const matched = JSON.stringify(names.map(name => name || null))
  const check = useCommand<File, { id: string }>({
    method: 'POST',
    path: () => `${path}?${new URLSearchParams({ columns: matched, ...query }).toString()}`,
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
      {missing.length > 0 && (
        <Alert color="yellow" mt="md" role="status">
          {`Still missing: ${missing.join(', ')}.`}
        </Alert>
      )}
      {isTwice && (
        <Alert color="yellow" mt="md" role="status">
          Two columns are matched to the same field. Leave one of them out.
        </Alert>
      )}
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
