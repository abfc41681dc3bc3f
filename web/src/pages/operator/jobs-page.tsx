import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { JobsAnswer } from '../../../../src/console/operator/operator.schemas.ts'
import type { LetterAnswer } from '../../../../src/console/operator/operator.list.ts'
import { useCommand } from '../../api/command.ts'
import { get } from '../../api/client.ts'
import { ListTable } from '../../ui/table/list-table.tsx'
import { Summary } from '../../ui/detail.tsx'
import { SideDialogue } from '../../ui/dialogue/dialogue.tsx'
import { formatCount } from '../../ui/money.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { notify } from '../../ui/toasts.tsx'
import { When } from '../../ui/when.tsx'
import { Problem } from '../../ui/problem.tsx'
import { sentence } from '../../ui/words.ts'
import { ago, formatSeconds } from './amounts.ts'
import { OperatorFrame } from './operator-frame.tsx'
import { StaticTable } from '../developers/static-table.tsx'

type Job = JobsAnswer['jobs'][number]
type Run = JobsAnswer['runs'][number]
type Letter = LetterAnswer

const JOB_LABELS: Record<Job['kind'], string> = {
  orders_expired: 'Orders and links to expire',
  payments_checked: 'Payments to check with the provider',
  refunds_sent: 'Refunds to send',
  mandates_checked: 'Mandates to check with the provider',
  instalments_stepped: 'Instalments to process',
  loans_checked: 'Loans to check with the lender',
  messages_sent: 'Messages to send',
  webhooks_delivered: 'Webhooks to deliver',
  imports_run: 'Imports under way',
}
const MOST_COUNTED = 10_000
const LATE_SECONDS = 300

function countOf(count: number): string {
  return count >= MOST_COUNTED ? `${formatCount(MOST_COUNTED)} or more` : formatCount(count)
}

/** Background jobs and how far behind they are; what was given up, with a retry. */
export function JobsPage() {
  const jobs = useQuery({
    queryKey: ['jobs'],
    queryFn: ({ signal }) => get<JobsAnswer>('/operator/jobs', {}, signal),
    refetchInterval: 10_000,
  })
  return (
    <OperatorFrame here="jobs">
      <h2 className="section-title">Background jobs</h2>
      {jobs.isPending && <Loading />}
      {jobs.isError && <Failed error={jobs.error} retry={() => void jobs.refetch()} />}
      {jobs.isSuccess && <DueWork jobs={jobs.data.jobs} />}
      {jobs.isSuccess && (
        <>
          <h2 className="section-title">Jobs of this process</h2>
          {!jobs.data.runs_here && <p className="faint">This process runs no jobs; other processes do.</p>}
          <Runs runs={jobs.data.runs} />
        </>
      )}
      <h2 className="section-title">Given up</h2>
      {jobs.isSuccess && (
        <p className="faint">
          Deliveries: {countOf(jobs.data.dead_letters.delivery)} · Messages:{' '}
          {countOf(jobs.data.dead_letters.message)} · Imports: {countOf(jobs.data.dead_letters.import)}
        </p>
      )}
      <DeadLetters />
    </OperatorFrame>
  )
}

function DueWork({ jobs }: { jobs: readonly Job[] }) {
  return (
    <StaticTable name="Due work" headings={['What', { title: 'Due now', align: 'right' }, 'Oldest', 'Next']}>
      {jobs.map(job => (
        <tr key={job.kind}>
          <td>{JOB_LABELS[job.kind]}</td>
          <td className="right">{countOf(job.due)}</td>
          <td>
            {job.due === 0 ? (
              ''
            ) : job.kind !== 'imports_run' && job.late_seconds > LATE_SECONDS ? (
              <StatusBadge tone="bad">{`${formatSeconds(job.late_seconds)} late`}</StatusBadge>
            ) : (
              `${formatSeconds(job.late_seconds)} ago`
            )}
          </td>
          <td>
            {job.next_at === undefined ? (
              ''
            ) : (
              <When at={job.next_at} isReal={job.kind === 'webhooks_delivered'} />
            )}
          </td>
        </tr>
      ))}
    </StaticTable>
  )
}

function Runs({ runs }: { runs: readonly Run[] }) {
  return (
    <StaticTable
      name="Jobs of this process"
      headings={[
        'Job',
        'Last run',
        { title: 'Last took', align: 'right' },
        { title: 'Rows', align: 'right' },
        { title: 'Failures in a row', align: 'right' },
        'Oldest due',
        'Last failure',
      ]}
    >
      {runs.map(run => (
        <tr key={run.job}>
          <td>{sentence(run.job)}</td>
          <td>{run.last_run_at === undefined ? '' : ago(run.last_run_at)}</td>
          <td className="right">
            {run.duration_ms === undefined ? '' : `${formatCount(run.duration_ms)} ms`}
          </td>
          <td className="right">{formatCount(run.rows)}</td>
          <td className="right">
            {run.failures_in_a_row === 0 ? (
              '0'
            ) : (
              <StatusBadge tone="bad">{formatCount(run.failures_in_a_row)}</StatusBadge>
            )}
          </td>
          <td>{run.oldest_due_seconds === undefined ? '' : formatSeconds(run.oldest_due_seconds)}</td>
          <td>
            {run.last_failure === undefined ? '' : `${ago(run.last_failure.at)}: ${run.last_failure.message}`}
          </td>
        </tr>
      ))}
    </StaticTable>
  )
}

const CELLS = { subject: (row: Letter) => <span className="mono">{row.subject}</span> }
const LABELS = {
  kind: {
    delivery: { label: 'Deliveries' },
    message: { label: 'Messages' },
    import: { label: 'Imports' },
  },
}

function DeadLetters() {
  const [open, setOpen] = useState<Letter | null>(null)
  return (
    <>
      <ListTable<Letter>
        name="Given up"
        path="/operator/dead-letters"
        queryKey="dead-letters"
        cells={CELLS}
        labels={LABELS}
        isBare
        rowId={row => row.id}
        onOpen={setOpen}
        empty={{
          title: 'Nothing has failed',
          description:
            'Deliveries that still failed after three days are listed here. Filter by kind for messages and imports.',
        }}
      />
      {open !== null && (
        <SideDialogue onClose={() => setOpen(null)} title="Given up">
          <Opened letter={open} onDone={() => setOpen(null)} />
        </SideDialogue>
      )}
    </>
  )
}

function Opened({ letter, onDone }: { letter: Letter; onDone: () => void }) {
  const institute = `/institutes/${letter.institute_code}`
  const again = useCommand<object>({
    method: 'POST',
    path:
      letter.kind === 'message'
        ? `${institute}/messages/${letter.id}/retry`
        : `${institute}/deliveries/${letter.id}/redeliver`,
    refreshes: ['dead-letters', 'jobs'],
    onDone() {
      notify('Sent again.')
      onDone()
    },
  })
  return (
    <>
      <Summary
        fields={[
          { label: 'Institute', value: letter.institute_name },
          { label: 'What', value: letter.subject },
          { label: 'Made', value: <When at={letter.at} /> },
          { label: 'Tries', value: letter.tries },
          { label: 'What went wrong', value: letter.problem },
          { label: 'Id', value: <span className="mono">{letter.id}</span> },
        ]}
      />
      <Problem error={again.error} />
      {letter.kind === 'import' ? (
        <p className="faint">The person who uploaded the file can correct it and upload it again.</p>
      ) : (
        <Group mt="md">
          <Button variant="default" loading={again.isPending} onClick={() => again.mutate({})}>
            Retry
          </Button>
        </Group>
      )}
    </>
  )
}
