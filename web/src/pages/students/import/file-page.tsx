import { Alert, Button, Group, Progress, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { RosterAnswer } from '../../../../../src/console/students/rosters/roster.schemas.ts'
import { get } from '../../../api/client.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { Problem, ProblemAlert } from '../../../ui/problem.tsx'
import { Detail } from '../../../ui/detail.tsx'
import { counted, formatCount, formatRupees } from '../../../ui/money.tsx'
import { AwaitedPage } from '../../../ui/page.tsx'
import { When } from '../../../ui/when.tsx'
import { isKept } from '../../approvals/kept.ts'
import { Crumbs, type Crumb } from '../../../ui/link/crumbs.tsx'
import { Badge } from '../../orders/badge.tsx'
import { LinkButton } from '../../../ui/link/link-button.tsx'
import { AFTER_CHANGE } from '../use-student.ts'
import { RowsToCorrect } from './rows-to-correct.tsx'
import { ROSTER_LABELS } from './texts.ts'

const TRAIL: readonly Crumb[] = [
  { label: 'Students', to: '/i/$institute/students' },
  { label: 'Import students', to: '/i/$institute/students/import' },
]

const WATCH_MS = 1_000

/** One list of students: check, progress and result. */
export function ImportFilePage() {
  const path = useInstitutePath()
  const { file: id = '' } = useParams({ strict: false })
  const file = useQuery({
    queryKey: ['student-file', path, id],
    queryFn: ({ signal }) => get<RosterAnswer>(`${path}/student-files/${encodeURIComponent(id)}`, {}, signal),
    refetchInterval: ({ state: { data } }) =>
      data?.state === 'checking' || data?.state === 'running' ? WATCH_MS : false,
  })
  const client = useQueryClient()
  const isDone = file.data?.state === 'done'
  useEffect(() => {
    // Lists that were looked at before it do not have its students.
    if (isDone) for (const key of AFTER_CHANGE) void client.invalidateQueries({ queryKey: [key] })
  }, [client, isDone])
  return (
    <>
      <Crumbs trail={TRAIL} />
      {file.isSuccess ? <Shown file={file.data} /> : <AwaitedPage kind="File" query={file} />}
    </>
  )
}

function Shown({ file }: { file: RosterAnswer }) {
  const { rows, state } = file
  const isChecked = state !== 'checking' && state !== 'failed'
  const isOver = state === 'done'
  return (
    <Detail
      title={file.file_name}
      status={<Badge of={state} labels={ROSTER_LABELS} />}
      fields={[
        { label: 'Rows', value: isChecked && formatCount(rows.total) },
        { label: 'New students', value: isChecked && formatCount(rows.new) },
        { label: 'Registered already', value: isChecked && formatCount(rows.known) },
        { label: 'Rows to correct', value: isChecked && formatCount(rows.bad) },
        { label: 'Rows that changed something', value: isOver && formatCount(rows.applied) },
        { label: 'Columns left out', value: file.unknown_columns.join(', ') },
        { label: 'Sent by', value: file.created_by },
        { label: 'Sent', value: <When at={file.created_at} /> },
      ]}
    >
      <Now file={file} />
      <OtherLines lines={file.other_lines} />
      <RowsToCorrect file={file} />
    </Detail>
  )
}

/** Totals, signatures and headings that come again: whoever sent the list sees that no child is among them. */
function OtherLines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <details>
      <summary>{`${counted(lines.length, 'line is', 'lines are')} no child, such as totals and headings, and left out`}</summary>
      <ul>
        {lines.map(line => (
          <li key={line}>{`Row ${line}`}</li>
        ))}
      </ul>
    </details>
  )
}

function Now({ file }: { file: RosterAnswer }) {
  const { code: institute } = useInstitute()
  const { state, rows } = file
  switch (state) {
    case 'checking':
    case 'running':
      return (
        <div className="file-now" role="status">
          <p>
            {state === 'checking' ? 'Every row is being checked.' : 'The students are being registered.'} You
            can leave this page; it goes on without you.
          </p>
          <Progress value={file.progress} size="lg" aria-label={`${file.progress} percent done`} />
        </div>
      )
    case 'checked':
      return <Decide file={file} />
    case 'done':
      return (
        <Alert color="bursar" mt="md" role="status">
          <p>{`${counted(rows.applied, 'student is', 'students are')} registered or brought up to date; ${formatCount(rows.unchanged)} were as in the file.`}</p>
          <LinkButton variant="default" to="/i/$institute/students" params={{ institute }} search={{}}>
            Go to the students
          </LinkButton>
        </Alert>
      )
    case 'failed':
      return <ProblemAlert>{file.message}</ProblemAlert>
    default:
      return (
        <Alert color="gray" mt="md" role="status">
          It was discarded; no student was registered.
        </Alert>
      )
  }
}

function Decide({ file }: { file: RosterAnswer }) {
  const { id, rows } = file
  const path = useInstitutePath()
  const mayStart = useMay('owner', 'finance')
  const refreshes = ['student-file', 'student-files', 'audit']
  const [reason, setReason] = useState('')
  const start = useCommand<{ reason?: string }>({
    method: 'POST',
    path: `${path}/student-files/${id}/start`,
    refreshes: [...refreshes, 'approvals'],
    onDone: answer => void isKept(answer),
  })
  const discard = useCommand({ method: 'DELETE', path: `${path}/student-files/${id}`, refreshes })
  const good = rows.total - rows.bad
  return (
    <div className="file-now">
      <p>
        {good === 0
          ? 'No row can be used yet. Correct them below, or correct the file and send it again.'
          : `${counted(rows.new, 'student is', 'students are')} new, ${counted(rows.known, 'is', 'are')} registered already.`}
        {good > 0 &&
          rows.bad > 0 &&
          ` ${counted(rows.bad, 'row is left out', 'rows are left out')} unless you correct ${rows.bad === 1 ? 'it' : 'them'} below.`}
      </p>
      {rows.without_fees > 0 && (
        <Alert color="yellow" role="status" mb="sm" maw={720}>
          {`${counted(rows.without_fees, 'student is in a class', 'students are in classes')} without fees and would owe nothing: ${file.classes_without_fees.join(', ')}. Correct the class in the file, or set its fees in the fee structure.`}
        </Alert>
      )}
      {rows.lowered > 0 && (
        <>
          <Alert color="yellow" role="status" mb="sm" maw={720}>
            {`${counted(rows.lowered, 'student')} would have to pay less than now, ${formatRupees(file.lowered_amount)} less in all.`}
          </Alert>
          {mayStart && (
            <TextInput
              label="Why the fees get lower"
              description="Needed where a colleague has to approve it, who reads it."
              maw={480}
              mb="sm"
              maxLength={500}
              value={reason}
              error={problemOf(start.error, 'reason')}
              onChange={event => setReason(event.currentTarget.value)}
            />
          )}
        </>
      )}
      {mayStart && (
        <Group>
          {good > 0 && (
            <Button
              loading={start.isPending}
              onClick={() => start.mutate(reason.trim() === '' ? {} : { reason: reason.trim() })}
            >
              {rows.new === 0
                ? `Bring ${counted(good, 'student')} up to date`
                : `Register ${counted(good, 'student')}`}
            </Button>
          )}
          <Button variant="default" loading={discard.isPending} onClick={() => discard.mutate()}>
            Discard the file
          </Button>
        </Group>
      )}
      <Problem error={start.error ?? discard.error} />
    </div>
  )
}
