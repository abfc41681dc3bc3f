import { Alert, Button, Checkbox, Group, Progress, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type {
  BatchAnswer,
  LinkFileAnswer,
} from '../../../../../src/console/orders/link-files/link-file.schemas.ts'
import { useCommand } from '../../../api/command.ts'
import { get } from '../../../api/client.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { Problem } from '../../../ui/problem.tsx'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { problemColumns } from '../../../ui/file/problem-columns.ts'
import { LINK_LABELS } from './match-links.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { Detail } from '../../../ui/detail.tsx'
import { LanguageSelect } from '../../../ui/form/language-select.tsx'
import { counted, formatCount } from '../../../ui/money.tsx'
import { AwaitedPage } from '../../../ui/page.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { When } from '../../../ui/when.tsx'
import { Crumbs, type Crumb } from '../../../ui/link/crumbs.tsx'
import { Badge } from '../badge.tsx'
import { FILE_LABELS } from '../texts.ts'

const TRAIL: readonly Crumb[] = [
  { label: 'Orders & links', to: '/i/$institute/orders' },
  { label: 'Links from a file', to: '/i/$institute/orders/files' },
]

const WATCH_MS = 1_000

/** One file of links: check, progress and report. */
export function FilePage() {
  const path = useInstitutePath()
  const { file: batchId = '' } = useParams({ strict: false })
  const file = useQuery({
    queryKey: ['link-file', path, batchId],
    queryFn: ({ signal }) =>
      get<LinkFileAnswer>(`${path}/link-batches/${encodeURIComponent(batchId)}`, {}, signal),
    refetchInterval: query => (query.state.data?.state === 'running' ? WATCH_MS : false),
  })
  return (
    <>
      <Crumbs trail={TRAIL} />
      {file.isSuccess ? <Shown file={file.data} /> : <AwaitedPage kind="File" query={file} />}
    </>
  )
}

function Shown({ file }: { file: LinkFileAnswer }) {
  const { rows } = file
  return (
    <Detail
      title={file.file_name}
      status={<Badge of={file.state} labels={FILE_LABELS} />}
      actions={<Actions file={file} />}
      fields={[
        { label: 'Rows', value: formatCount(rows.total) },
        { label: 'Invalid rows', value: formatCount(rows.bad) },
        { label: 'Made before', value: formatCount(file.state === 'checked' ? rows.known : rows.repeated) },
        {
          label: file.state === 'checked' ? 'Links to make' : 'Links made',
          value: formatCount(file.state === 'checked' ? rows.to_make : rows.made),
        },
        {
          label: 'Pay a student’s dues',
          value: `${formatCount(rows.settling)} of ${counted(rows.total - rows.bad, 'row')}`,
        },
        { label: 'Failed after all', value: rows.failed > 0 ? formatCount(rows.failed) : undefined },
        { label: 'Told', value: file.state === 'checked' ? undefined : toldText(file) },
        { label: 'Sent by', value: file.created_by },
        { label: 'Sent', value: <When at={file.created_at} /> },
        { label: 'Started', value: file.started_at && <When at={file.started_at} /> },
        { label: 'Over', value: file.finished_at && <When at={file.finished_at} /> },
        { label: 'Columns that are not used', value: file.unknown_columns.join(', ') },
      ]}
    >
      <Now file={file} />
      <Problems file={file} />
    </Detail>
  )
}

function toldText({ told_by_email: email, told_by_sms: sms, sms_waiting: waiting }: LinkFileAnswer): string {
  if (email + sms === 0) return 'Nobody: no message was asked for'
  const later =
    waiting === 0 ? '' : `; ${formatCount(waiting)} of these to phones still wait for the school’s hours`
  return `${formatCount(email)} by e-mail, ${formatCount(sms)} by SMS or WhatsApp${later}`
}

function Now({ file }: { file: BatchAnswer }) {
  const mayStart = useMay('owner', 'finance')
  if (file.state === 'checked' && mayStart && file.rows.to_make > 0) return <Start file={file} />
  if (file.state === 'running') {
    const { made, repeated, failed } = file.rows
    return (
      <div className="file-now" role="status">
        <p>
          {file.progress === 0
            ? 'It begins in a few seconds.'
            : `${formatCount(made + repeated + failed)} of ${counted(file.rows.total - file.rows.bad, 'row is', 'rows are')} done.`}{' '}
          You can leave this page; it goes on without you.
        </p>
        <Progress value={file.progress} size="lg" aria-label={`${file.progress} percent done`} />
      </div>
    )
  }
  const words = verdict(file)
  return words === null ? null : (
    <Alert color={file.state === 'done' ? 'bursar' : 'gray'} mt="md" role="status">
      {words}
    </Alert>
  )
}

function verdict({ state, rows }: BatchAnswer): string | null {
  switch (state) {
    case 'checked':
      return rows.to_make > 0
        ? null
        : 'There are no links to create: every row is invalid, or its link already exists.'
    case 'done':
      return `${links(rows.made)} made. Take the file of links to send them yourself, or find them among the orders.`
    case 'stopped':
      return `It was stopped. ${links(rows.made)} made and stay.`
    case 'cancelled':
      return 'It was discarded before any link was created.'
    default:
      return null
  }
}

function links(count: number): string {
  return counted(count, 'link was', 'links were')
}

function Start({ file }: { file: BatchAnswer }) {
  const path = useInstitutePath()
  const [channels, setChannels] = useState<string[]>([])
  const [language, setLanguage] = useState('')
  const start = useCommand<{ channels: string[]; language?: string }>({
    method: 'POST',
    path: `${path}/link-batches/${file.id}/start`,
    refreshes: ['link-file', 'link-files', 'audit'],
    onDone: () => notify('It begins.'),
  })
  const { to_make: count, bad, known } = file.rows
  return (
    <form
      className="file-now"
      onSubmit={event => {
        event.preventDefault()
        start.mutate(language === '' ? { channels } : { channels, language })
      }}
    >
      <Stack gap="sm">
        <p>
          {`${counted(count, 'link')} will be made`}
          {bad > 0 && `; ${counted(bad, 'bad row is', 'bad rows are')} left out`}
          {known > 0 && `; ${counted(known, 'row has its', 'rows have their')} link already`}. You can correct
          the bad rows and send the file again later: what was made is not made twice.
        </p>
        <Settling rows={file.rows} />
        <Checkbox.Group
          label="Notify the payers"
          description="Mails leave at once. Messages to phones wait for the school’s hours (Settings → School)."
          value={channels}
          onChange={setChannels}
        >
          <Group mt={4}>
            <Checkbox value="email" label="By e-mail" />
            <Checkbox value="sms" label="By SMS or WhatsApp" />
          </Group>
        </Checkbox.Group>
        {channels.length > 0 && (
          <LanguageSelect value={language} onChange={setLanguage} none="The family’s own" />
        )}
        <Problem error={start.error} />
        <Group>
          <Button type="submit" loading={start.isPending}>
            {`Create ${counted(count, 'link')}`}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Which of the links lower what somebody owes. */
function Settling({ rows: { total, bad, settling } }: Pick<BatchAnswer, 'rows'>) {
  const others = total - bad - settling
  if (others === 0) return <p>Each of them lowers the dues of the student that its row names.</p>
  return (
    <Alert color="yellow" role="status">
      {settling > 0 && `${counted(settling, 'row pays', 'rows pay')} the dues of a student. `}
      {`${counted(others, 'row names', 'rows name')} no student to set it off against: paying ${others === 1 ? 'its link lowers' : 'their links lowers'} nobody’s dues. To have dues lowered, add a column with “yes” that is matched as “Lowers the student’s dues”, beside the admission number, and send the file again.`}
    </Alert>
  )
}

function Actions({ file }: { file: BatchAnswer }) {
  const path = useInstitutePath()
  const mayStop = useMay('owner', 'finance') && (file.state === 'checked' || file.state === 'running')
  const [isAsking, setIsAsking] = useState(false)
  const isRunning = file.state === 'running'
  const stop = useCommand<{ reason: string }>({
    method: 'DELETE',
    path: `${path}/link-batches/${file.id}`,
    refreshes: ['link-file', 'link-files', 'audit'],
    onDone: () => setIsAsking(false),
  })
  return (
    <>
      {file.rows.made + file.rows.repeated > 0 && (
        <Button component="a" variant="default" href={`/console/api${path}/link-batches/${file.id}/links`}>
          Links as CSV
        </Button>
      )}
      {mayStop && (
        <Button variant="default" onClick={() => setIsAsking(true)}>
          {isRunning ? 'Stop' : 'Discard'}
        </Button>
      )}
      <ConfirmWithReason
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title={isRunning ? 'Stop making links?' : 'Call this file off?'}
        description={
          isRunning
            ? 'Links that were made stay and can be paid; the others are not made. Send the file again to go on: what was made is not made twice.'
            : 'No links will be created from this file.'
        }
        verb={isRunning ? 'Stop' : 'Discard the file'}
        isBusy={stop.isPending}
        error={stop.error}
        onConfirm={reason => stop.mutate({ reason })}
      />
    </>
  )
}

const COLUMNS = problemColumns(LINK_LABELS)

function Problems({ file }: { file: BatchAnswer }) {
  const path = useInstitutePath()
  if (file.rows.bad + file.rows.failed === 0) return null
  return (
    <>
      <h2 className="section-title">Invalid rows</h2>
      <DataTable
        name="Invalid rows"
        path={`${path}/link-batches/${file.id}/problems`}
        queryKey="link-file"
        columns={COLUMNS}
        rowId={row => `${row.row} ${row.column ?? ''} ${row.message}`}
        empty={{ title: 'No bad rows', description: 'Every row of the file can be a link.' }}
      />
    </>
  )
}
