import '../students.css'
import { Alert, Button, Progress } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { RolloverAnswer } from '../../../../../src/students/rollover/rollover.schemas.ts'
import { useCommand } from '../../../api/command.ts'
import { get } from '../../../api/client.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { counted, formatCount } from '../../../ui/money.tsx'
import { AwaitedPage, PageFrame } from '../../../ui/page.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { yearName } from '../../../ui/when.tsx'
import { Crumbs, type Crumb } from '../../../ui/link/crumbs.tsx'
import { OptionalFeesOn } from '../optional/carry-on.tsx'
import { Report } from './report.tsx'
import { ROLLOVER_LABELS } from './rollover-list.tsx'

const TRAIL: readonly Crumb[] = [
  { label: 'Students', to: '/i/$institute/students' },
  { label: 'New academic year', to: '/i/$institute/students/rollover' },
]

const WATCH_MS = 1_000

/** One rollover: its progress, and its report. */
export function RolloverRunPage() {
  const path = useInstitutePath()
  const { rollover: id = '' } = useParams({ strict: false })
  const rollover = useQuery({
    queryKey: ['rollovers', path, id],
    queryFn: ({ signal }) => get<RolloverAnswer>(`${path}/rollovers/${encodeURIComponent(id)}`, {}, signal),
    refetchInterval: query => (query.state.data?.state === 'running' ? WATCH_MS : false),
  })
  const client = useQueryClient()
  const state = rollover.data?.state
  useEffect(() => {
    if (state === 'running') return
    // There are students of another year now.
    for (const key of ['choices', 'students', 'student']) void client.invalidateQueries({ queryKey: [key] })
  }, [state, client])
  return (
    <>
      <Crumbs trail={TRAIL} />
      {rollover.isSuccess ? (
        <Shown rollover={rollover.data} />
      ) : (
        <AwaitedPage kind="Rollover" query={rollover} />
      )}
    </>
  )
}

function Shown({ rollover }: { rollover: RolloverAnswer }) {
  const { state } = rollover
  const year = yearName(rollover.to_academic_year_start, rollover.to_academic_year_end)
  return (
    <PageFrame
      title={`The year ${year}`}
      actions={
        <>
          <StatusBadge tone={ROLLOVER_LABELS[state].tone}>{ROLLOVER_LABELS[state].label}</StatusBadge>
          <Stop rollover={rollover} />
        </>
      }
    >
      <Now rollover={rollover} />
      {state === 'done' && (
        <OptionalFeesOn from={rollover.from_academic_year_start} to={rollover.to_academic_year_start} />
      )}
      <Report rollover={rollover} />
    </PageFrame>
  )
}

function Now({ rollover }: { rollover: RolloverAnswer }) {
  const { state, students_seen: seen, students_total: total } = rollover
  if (state !== 'running')
    return (
      <Alert color={state === 'done' ? 'bursar' : 'gray'} mb="md" role="status">
        {state === 'done'
          ? doneText(rollover)
          : 'It was stopped by a person, or because the fee structure of the new year was changed. What was registered and carried stays. Look at the preview and start it again to go on from there.'}
      </Alert>
    )
  const percent = total === 0 ? 100 : Math.min(100, Math.floor((seen / total) * 100))
  return (
    <div className="file-now" role="status">
      <p>
        {`${formatCount(seen)} of ${counted(total, 'student is', 'students are')} done.`} You can leave this
        page; it goes on without you, and after an interruption from where it was.
      </p>
      <Progress value={percent} size="lg" aria-label={`${percent} percent done`} />
    </div>
  )
}

function doneText({ problems }: RolloverAnswer): string {
  return problems.length === 0
    ? 'It is done. Families see the new year on their page.'
    : 'It is done. Correct what is listed under “Students to look at”, then start it again with the same form: nobody is registered and nothing is carried twice.'
}

function Stop({ rollover }: { rollover: RolloverAnswer }) {
  const path = useInstitutePath()
  const mayStop = useMay('owner', 'finance') && rollover.state === 'running'
  const [isAsking, setIsAsking] = useState(false)
  const stop = useCommand<{ reason: string }>({
    method: 'DELETE',
    path: `${path}/rollovers/${rollover.id}`,
    refreshes: ['rollovers', 'audit'],
    onDone: () => setIsAsking(false),
  })
  return (
    <>
      {mayStop && (
        <Button variant="default" onClick={() => setIsAsking(true)}>
          Stop
        </Button>
      )}
      <ConfirmWithReason
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title="Stop the rollover?"
        description="Students that were registered stay registered, and what was carried stays carried. Start it again to go on: nothing is done twice."
        verb="Stop"
        isBusy={stop.isPending}
        error={stop.error}
        onConfirm={reason => stop.mutate({ reason })}
      />
    </>
  )
}
