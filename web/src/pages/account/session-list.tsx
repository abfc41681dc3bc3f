import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SessionRowAnswer } from '../../../../src/console/team/account.output.ts'
import { useCommand } from '../../api/command.ts'
import { get } from '../../api/client.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { notify } from '../../ui/toasts.tsx'
import { When } from '../../ui/when.tsx'
import { TableFrame } from '../../ui/table/frame.tsx'

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
      <TableFrame name="Sessions">
        <table className="data-table">
          <thead>
            <tr>
              <th scope="col">Browser</th>
              <th scope="col">From</th>
              <th scope="col">Last used</th>
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {sessions.data.map(session => (
              <tr key={session.id}>
                <td title={session.agent}>{browserOf(session.agent)}</td>
                <td className="mono nowrap">{session.ip}</td>
                <td>
                  <When at={session.last_seen_at} isReal />
                </td>
                <td className="right">
                  {session.is_this ? (
                    <StatusBadge tone="good">This session</StatusBadge>
                  ) : (
                    <Button variant="default" size="xs" onClick={() => end.mutate({ id: session.id })}>
                      End
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      {sessions.data.length > 1 && (
        <Group mt="sm">
          <Button
            variant="default"
            size="xs"
            loading={endOthers.isPending}
            onClick={() => endOthers.mutate()}
          >
            Sign out all other sessions
          </Button>
        </Group>
      )}
    </>
  )
}

const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac', 'Linux'] as const

function browserOf(agent: string): string {
  const browser = BROWSERS.find(([mark]) => agent.includes(mark))?.[1] ?? 'Another program'
  const system = SYSTEMS.find(name => agent.includes(name))
  return system === undefined ? browser : `${browser} on ${system}`
}
