import { Alert, Button, Checkbox, FileButton, Group, NativeSelect, SimpleGrid } from '@mantine/core'
import { useRef, useState } from 'react'
import type {
  AddedStatementAnswer,
  StatementPreviewAnswer,
} from '../../../../../src/banking/statements/statement.schemas.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { Problem } from '../../../ui/problem.tsx'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { formatDay } from '../../../ui/when.tsx'
import { AFTER_DECISION, formatBooked } from './texts.ts'
import { counted } from '../../../ui/money.tsx'

const ROLES = [
  { role: 'date', label: 'Day' },
  { role: 'text', label: 'What the bank says' },
  { role: 'reference', label: 'UTR or cheque number' },
  { role: 'credit', label: 'Came in (or the amount)' },
  { role: 'debit', label: 'Went out' },
  { role: 'mark', label: 'Dr or Cr' },
  { role: 'balance', label: 'Balance' },
] as const

type Role = (typeof ROLES)[number]['role']
type ChosenColumns = Readonly<Partial<Record<Role, string>>>

/** Looks at the file first; what is matched wrongly is put right by hand before anything is added. */
export function StatementUpload({ account }: { account: string }) {
  const [file, setFile] = useState<File | null>(null)
  /** Emptied after each file, so that the same file can be chosen again. */
  const reset = useRef<() => void>(null)
  const [columns, setColumns] = useState<ChosenColumns | null>(null)
  const [isSimilarTaken, setIsSimilarTaken] = useState(false)
  const path = `${useInstitutePath()}/bank`
  const query = new URLSearchParams({ account_id: account })
  const preview = useCommand<{ file: File; query: string }, StatementPreviewAnswer>({
    method: 'POST',
    path: sent => `${path}/statement-previews?${sent.query}`,
    body: sent => sent.file,
  })
  const look = (chosen: File, byHand: ChosenColumns | null): void => {
    reset.current?.()
    setFile(chosen)
    setColumns(byHand)
    setIsSimilarTaken(false)
    preview.mutate({ file: chosen, query: queryOf(query, preview.data, byHand) })
  }
  const add = useCommand<File, AddedStatementAnswer>({
    method: 'POST',
    path: `${path}/statements?${queryOf(query, preview.data, columns)}${isSimilarTaken ? '&similar=add' : ''}`,
    refreshes: AFTER_DECISION,
    onDone({ new_line_count: fresh, matched_count: matched }) {
      setFile(null)
      const known = 'This statement was added before: it has no new lines.'
      notify(fresh === 0 ? known : `${counted(fresh, 'new line')}, ${counted(matched, 'line')} matched.`)
    },
  })
  return (
    <>
      <FileButton
        accept=".csv,.txt,.xlsx,.sta,.mt940,.940"
        onChange={chosen => chosen !== null && look(chosen, null)}
        resetRef={reset}
      >
        {props => (
          <Button {...props} loading={preview.isPending && file === null}>
            Add a statement
          </Button>
        )}
      </FileButton>
      {file !== null && (
        <Dialogue onClose={() => setFile(null)} title={file.name}>
          <Problem error={preview.error ?? add.error} />
          {preview.data !== undefined && (
            <Preview
              preview={preview.data}
              chosen={columns ?? columnsOf(preview.data)}
              onChoose={byHand => look(file, byHand)}
            />
          )}
          {preview.data !== undefined && (
            <Repeats preview={preview.data} isTaken={isSimilarTaken} onTake={setIsSimilarTaken} />
          )}
          <Group justify="flex-end" mt="md">
            <Button variant="default" onClick={() => setFile(null)}>
              Cancel
            </Button>
            <Button
              loading={add.isPending || preview.isPending}
              disabled={!canAdd(preview.data, isSimilarTaken)}
              onClick={() => add.mutate(file)}
            >
              {freshOf(preview.data) === 0
                ? 'Add the statement'
                : `Add ${counted(freshOf(preview.data), 'line')}`}
            </Button>
          </Group>
        </Dialogue>
      )}
    </>
  )
}

function freshOf(preview: StatementPreviewAnswer | undefined): number {
  return preview === undefined ? 0 : preview.line_count - preview.known_count - preview.other_format_count
}

function canAdd(preview: StatementPreviewAnswer | undefined, isSimilarTaken: boolean): boolean {
  if (preview === undefined || preview.line_count === 0) return false
  return preview.doubtful_count === 0 || isSimilarTaken
}

/** The lines of the file that the account has already, and those that it may have in the words of another format. */
function Repeats({
  preview: { known_count: known, other_format_count: other, doubtful_count: count, doubtful },
  isTaken,
  onTake,
}: {
  preview: StatementPreviewAnswer
  isTaken: boolean
  onTake: (isTaken: boolean) => void
}) {
  const rest = count - doubtful.length
  return (
    <>
      {known > 0 && <p>{counted(known, 'line')} of an earlier statement will not be added again.</p>}
      {other > 0 && (
        <p>
          {counted(other, 'line')} came with an earlier statement in another format and will not be added
          again.
        </p>
      )}
      {count > 0 && (
        <Alert color="yellow" title="The same bookings in another format?" mt="sm">
          <p>
            A file of another format brought a line of the same day and amount, with another reference, for:
          </p>
          <ul>
            {doubtful.map((line, index) => (
              <li key={index} className="long-text">
                {formatDay(line.day)}, {formatBooked(line.amount)}: {line.text} {line.reference}
              </li>
            ))}
            {rest > 0 && <li>and {counted(rest, 'line')} more</li>}
          </ul>
          <p>If these are the same bookings, cancel and stay with the other format for this account.</p>
          <Checkbox
            label="They are other bookings: add them"
            checked={isTaken}
            onChange={event => onTake(event.currentTarget.checked)}
          />
        </Alert>
      )}
    </>
  )
}

function columnsOf({ columns }: StatementPreviewAnswer): ChosenColumns {
  const known = ROLES.flatMap(({ role }) => {
    const at = columns?.[role]
    return at === undefined ? [] : [[role, String(at)]]
  })
  return Object.fromEntries(known) as ChosenColumns
}

function queryOf(
  base: URLSearchParams,
  preview: StatementPreviewAnswer | undefined,
  byHand: ChosenColumns | null,
): string {
  const query = new URLSearchParams(base)
  if (byHand === null || preview === undefined) return query.toString()
  query.set('header_row', String(preview.header_row))
  for (const { role } of ROLES) {
    const at = byHand[role]
    if (at !== undefined && at !== '') query.set(`${role}_column`, at)
  }
  return query.toString()
}

function Preview({
  preview,
  chosen,
  onChoose,
}: {
  preview: StatementPreviewAnswer
  chosen: ChosenColumns
  onChoose: (chosen: ChosenColumns) => void
}) {
  const { line_count: count, first_day: from, last_day: to, titles, samples, problems } = preview
  const choices = titles.map((title, index) => ({
    value: String(index),
    label: title || `Column ${index + 1}`,
  }))
  return (
    <>
      <p>
        {from === undefined || to === undefined
          ? 'The columns were not recognised: say which holds what.'
          : `${counted(count, 'line')}, ${formatDay(from)} to ${formatDay(to)}.`}
      </p>
      {preview.format !== 'mt940' && (
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mb="md">
          {ROLES.map(({ role, label }) => (
            <NativeSelect
              key={role}
              label={label}
              data={[{ value: '', label: 'None' }, ...choices]}
              value={chosen[role] ?? ''}
              onChange={event => onChoose({ ...chosen, [role]: event.currentTarget.value })}
            />
          ))}
        </SimpleGrid>
      )}
      {problems.map(({ row_no: row, message }) => (
        <Alert key={row} color="red" mb="xs">
          Row {row}: {message}
        </Alert>
      ))}
      {samples.length > 0 && (
        <ShortTable
          name="The first lines"
          rows={samples.map((line, index) => ({ ...line, index }))}
          rowId={row => String(row.index)}
          columns={[
            { title: 'Day', cell: row => <span className="nowrap">{formatDay(row.day)}</span> },
            { title: 'The bank says', cell: row => <span className="long-text">{row.text}</span> },
            { title: 'Amount', isAmount: true, cell: row => formatBooked(row.amount) },
          ]}
        />
      )}
    </>
  )
}
