import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type {
  ProblemGroupsAnswer,
  RosterAnswer,
  RosterProblemAnswer,
} from '../../../../../src/console/students/rosters/roster.schemas.ts'
import { get, list } from '../../../api/client.ts'
import { useChoices } from '../../../api/choices.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { columnLabel } from '../../../ui/file/column-table.tsx'
import { inWords } from '../../../ui/file/problem-columns.ts'
import { counted } from '../../../ui/money.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { FIELD_LABELS, REQUIRED } from './columns.ts'

type ProblemGroup = ProblemGroupsAnswer['groups'][number]
type Correction = { column: string; row_no?: number; summary: string; value: string }
type Edits = Readonly<Record<string, Correction>>

const MOST_SHOWN = 100
const MOST_EDITS = 200

/** What is wrong with a list, the same problem once, and what people write in its place. */
export function RowsToCorrect({ file }: { file: RosterAnswer }) {
  const path = useInstitutePath()
  const mayCorrect = useMay('owner', 'finance')
  const groups = useQuery({
    queryKey: ['student-file', path, file.id, 'groups', file.state, file.rows.bad],
    queryFn: ({ signal }) =>
      get<ProblemGroupsAnswer>(`${path}/student-files/${file.id}/problem-groups`, {}, signal),
    enabled: file.rows.bad > 0 && file.state !== 'checking',
  })
  const [edits, setEdits] = useState<Edits>({})
  const check = useCommand<Correction[]>({
    method: 'POST',
    path: `${path}/student-files/${file.id}/corrections`,
    body: corrections => ({ corrections }),
    refreshes: ['student-file', 'student-files', 'audit'],
    onDone: () => setEdits({}),
  })
  if (file.rows.bad === 0 || file.state === 'checking') return null
  const corrections = Object.values(edits)
  const edit = mayCorrect && file.state === 'checked' ? { edits, setEdits } : null
  return (
    <section aria-label="Rows to correct">
      <Group justify="space-between" mt="lg">
        <h2 className="section-title">Rows to correct</h2>
        {mayCorrect && (
          <Button
            component="a"
            variant="default"
            href={`/console/api${path}/student-files/${file.id}/bad-rows`}
          >
            These rows as a file
          </Button>
        )}
      </Group>
      {groups.isPending && <Loading />}
      {groups.isError && <Failed error={groups.error} retry={() => void groups.refetch()} />}
      {groups.data?.groups.map(group => (
        <GroupOfRows key={`${group.column} ${group.summary}`} file={file.id} group={group} edit={edit} />
      ))}
      <Problem error={check.error} />
      {edit !== null && (
        <Group mt="md">
          <Button
            disabled={corrections.length === 0 || corrections.length > MOST_EDITS}
            loading={check.isPending}
            onClick={() => check.mutate(corrections)}
          >
            {corrections.length === 0
              ? 'Check again'
              : `Check again with ${counted(corrections.length, 'correction')}`}
          </Button>
          {corrections.length > MOST_EDITS && (
            <p className="faint">{`At most ${MOST_EDITS} at once: check these first.`}</p>
          )}
        </Group>
      )}
    </section>
  )
}

type Edit = { edits: Edits; setEdits: (edits: Edits) => void } | null

function GroupOfRows({ file, group, edit }: { file: string; group: ProblemGroup; edit: Edit }) {
  const { column, summary, message, cell, rows } = group
  const [isOpen, setIsOpen] = useState(rows === 1)
  const label = columnLabel(column, FIELD_LABELS)
  const words = inWords(`${label} ${message}`.trim(), FIELD_LABELS)
  const isOptional = column !== '' && !(REQUIRED as readonly string[]).includes(column)
  const all = `${column} ${summary}`
  const emptied = edit?.edits[all] !== undefined
  return (
    <section className="problem-group" aria-label={`${label} ${summary}`.trim()}>
      <Group justify="space-between" gap="sm">
        <p>
          <strong>{counted(rows, 'row')}</strong>
          {`: ${words}${cell === '' || words.includes(cell) ? '' : `; for example “${cell}”`}`}
        </p>
        <Group gap="xs">
          {edit !== null && column === 'grade' && (
            <ChooseClass
              label={rows === 1 ? 'Its class is' : `All ${rows} are in class`}
              written={cell}
              value={edit.edits[all]?.value ?? ''}
              onChange={value => edit.setEdits(chosen(edit.edits, all, { column, summary, value }))}
            />
          )}
          {edit !== null && isOptional && (
            <Button
              size="compact-sm"
              variant={emptied ? 'filled' : 'default'}
              aria-pressed={emptied}
              onClick={() => edit.setEdits(toggled(edit.edits, all, { column, summary, value: '' }))}
            >
              {rows === 1 ? 'Leave it empty' : `Leave it empty in all ${rows}`}
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="default"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Hide the rows' : 'Show the rows'}
          </Button>
        </Group>
      </Group>
      {isOpen && <Rows file={file} group={group} edit={emptied ? null : edit} label={label} />}
    </section>
  )
}

/** One of the school's classes for all children of a group, or the class as it is written, as a new one. */
function ChooseClass({
  label,
  written,
  value,
  onChange,
}: {
  label: string
  written: string
  value: string
  onChange: (value: string) => void
}) {
  const { grades } = useChoices()
  return (
    <NativeSelect
      size="xs"
      aria-label={`${label}, instead of “${written}”`}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      data={[
        { value: '', label: `${label} …` },
        ...grades.map(({ code, name }) => ({ value: code, label: name || code })),
        ...(written === '' ? [] : [{ value: written, label: `“${written}” is a class of ours` }]),
      ]}
    />
  )
}

function chosen(edits: Edits, key: string, correction: Correction): Edits {
  const { [key]: _, ...others } = edits
  return correction.value === '' ? others : { ...others, [key]: correction }
}

function toggled(edits: Edits, key: string, correction: Correction): Edits {
  const { [key]: present, ...others } = edits
  return present === undefined ? { ...edits, [key]: correction } : others
}

function Rows({
  file,
  group,
  edit,
  label,
}: {
  file: string
  group: ProblemGroup
  edit: Edit
  label: string
}) {
  const path = useInstitutePath()
  const { column, summary, rows } = group
  const problems = useQuery({
    queryKey: ['student-file', path, file, 'problems', column, summary, rows],
    queryFn: ({ signal }) =>
      list<RosterProblemAnswer>(
        `${path}/student-files/${file}/problems`,
        { column, summary, limit: String(MOST_SHOWN) },
        signal,
      ),
  })
  if (problems.isPending) return <Loading />
  if (problems.isError) return <Failed error={problems.error} retry={() => void problems.refetch()} />
  return (
    <>
      <ShortTable
        name={`Rows with this problem: ${label} ${summary}`}
        rows={problems.data.rows}
        rowId={row => String(row.row)}
        columns={[
          { title: 'Row', cell: row => row.row },
          { title: 'Child', cell: row => row.child },
          {
            title: label || 'What is wrong',
            cell: row =>
              edit === null || column === '' ? (
                row.cell || inWords(row.message, FIELD_LABELS)
              ) : (
                <TextInput
                  aria-label={`${label} of ${row.child || `row ${row.row}`}`}
                  maxLength={500}
                  value={edit.edits[`${row.row} ${column}`]?.value ?? row.cell}
                  onChange={event =>
                    edit.setEdits(changed(edit.edits, row, event.currentTarget.value, summary))
                  }
                />
              ),
          },
        ]}
      />
      {rows > MOST_SHOWN && (
        <p className="faint">{`The first ${MOST_SHOWN} of ${rows}; the others follow once these are right.`}</p>
      )}
    </>
  )
}

/** Written back as it was, a cell is no correction. */
function changed(
  edits: Edits,
  { row, column, cell }: RosterProblemAnswer,
  value: string,
  summary: string,
): Edits {
  const { [`${row} ${column}`]: _, ...others } = edits
  return value === cell
    ? others
    : { ...others, [`${row} ${column}`]: { column, row_no: row, summary, value } }
}
