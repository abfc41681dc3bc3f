import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SessionRowAnswer } from '../../../../src/console/team/team.schemas.ts'
import { useCommand } from '../../api/command.ts'
import { get } from '../../api/client.ts'
import { Problem } from '../../ui/problem.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { notify } from '../../ui/toasts.tsx'
import { When } from '../../ui/when.tsx'
import { ShortTable } from '../../ui/table/short-table.tsx'
import { browserOf } from './browser-name.ts'

export function SessionList() {
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => get<SessionRowAnswer[]>('/account/sessions', {}, signal),
  })
  const end = useCommand<{ id: string }>({
    method: 'DELETE',
    path: ({ id }) => `/account/sessions/${id}`,
    body: () => undefined,
    refreshes: ['sessions'],
    onDone: () => notify('The session has ended.'),
  })
  const endOthers = useCommand<void, { ended: number }>({
    method: 'POST',
    path: '/account/sessions/end-others',
    refreshes: ['sessions'],
    onDone: ({ ended }) => notify(ended === 1 ? 'One session has ended.' : `${ended} sessions have ended.`),
  })
  if (sessions.isPending) return <Loading />
  if (sessions.isError) return <Failed error={sessions.error} retry={() => void sessions.refetch()} />
  return (
    <>
      <ShortTable
        name="Sessions"
        rows={sessions.data}
        rowId={({ id }) => id}
        columns={[
          { title: 'Browser', cell: ({ agent }) => <span title={agent}>{browserOf(agent)}</span> },
          { title: 'From', cell: ({ ip }) => <span className="mono nowrap">{ip}</span> },
          { title: 'Last used', cell: session => <When at={session.last_seen_at} isReal /> },
          {
            title: 'Actions',
            isAction: true,
            cell: session =>
              session.is_this ? (
                <StatusBadge tone="good">This session</StatusBadge>
              ) : (
                <Button variant="default" size="xs" onClick={() => end.mutate({ id: session.id })}>
                  End
                </Button>
              ),
          },
        ]}
      />
      <Group mt="sm" gap="xs">
        {sessions.data.length > 1 && (
          <Button
            variant="default"
            size="xs"
            loading={endOthers.isPending}
            onClick={() => endOthers.mutate()}
          >
            Sign out all other sessions
          </Button>
        )}
        <SignOutEverywhere />
      </Group>
    </>
  )
}

/** This session ends as well, so the page that comes next is the sign-in. */
export function SignOutEverywhere() {
  const endAll = useCommand<void, { ended: number }>({
    method: 'POST',
    path: '/account/sessions/end-all',
    onDone: () => location.assign('/console/sign-in'),
  })
  return (
    <>
      <Button variant="default" size="xs" loading={endAll.isPending} onClick={() => endAll.mutate()}>
        Sign out everywhere
      </Button>
      <Problem error={endAll.error} />
    </>
  )
}
