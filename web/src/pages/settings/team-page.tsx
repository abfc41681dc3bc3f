import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TeamAnswer } from '../../../../src/console/team/team.output.ts'
import { useCommand } from '../../api/command.ts'
import { get } from '../../api/client.ts'
import { useInstitutePath, useMay, usePerson } from '../../api/session.ts'
import { PageFrame } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { notify } from '../../ui/toasts.tsx'
import { When } from '../../ui/when.tsx'
import { InviteDialogue } from './invite-dialogue.tsx'
import { ChangeRoleDialogue, RemoveDialogue } from './member-dialogues.tsx'
import { SettingsTabs } from './settings-tabs.tsx'
import { TableFrame } from '../../ui/table/frame.tsx'

type Member = TeamAnswer['members'][number]
type Invitation = TeamAnswer['invitations'][number]

export function TeamPage() {
  const path = useInstitutePath()
  const mayChange = useMay('owner', 'operator')
  const [isInviting, setIsInviting] = useState(false)
  const team = useQuery({
    queryKey: ['team', path],
    queryFn: ({ signal }) => get<TeamAnswer>(`${path}/team`, {}, signal),
  })
  return (
    <PageFrame
      title="Settings"
      actions={mayChange && <Button onClick={() => setIsInviting(true)}>Invite a colleague</Button>}
    >
      <SettingsTabs here="team" />
      {team.isPending && <Loading />}
      {team.isError && <Failed error={team.error} retry={() => void team.refetch()} />}
      {team.isSuccess && (
        <>
          <Members members={team.data.members} mayChange={mayChange} />
          {team.data.invitations.length > 0 && (
            <Invitations invitations={team.data.invitations} mayChange={mayChange} />
          )}
        </>
      )}
      {isInviting && <InviteDialogue onClose={() => setIsInviting(false)} />}
    </PageFrame>
  )
}

function Members({ members, mayChange }: { members: readonly Member[]; mayChange: boolean }) {
  const self = usePerson()
  const [change, setChange] = useState<{ member: Member; kind: 'role' | 'remove' } | null>(null)
  const close = (): void => setChange(null)
  return (
    <>
      <h2 className="section-title">Members</h2>
      <TableFrame name="Members">
        <table className="data-table">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Role</th>
              <th scope="col">Signs in with a code</th>
              <th scope="col">Last active</th>
              {mayChange && (
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {members.map(member => (
              <tr key={member.user_id}>
                <td>
                  {member.name} {member.user_id === self?.id && <span className="faint">(you)</span>}
                  <div className="faint">{member.email}</div>
                  {member.is_disabled && <StatusBadge tone="bad">Disabled</StatusBadge>}
                </td>
                <td>{member.role}</td>
                <td>
                  <StatusBadge tone={member.has_totp ? 'good' : 'plain'}>
                    {member.has_totp ? 'Yes' : 'No'}
                  </StatusBadge>
                </td>
                <td>
                  {member.last_seen_at === undefined ? 'Never' : <When at={member.last_seen_at} isReal />}
                </td>
                {mayChange && (
                  <td className="right nowrap">
                    <Button variant="default" size="xs" onClick={() => setChange({ member, kind: 'role' })}>
                      Change role
                    </Button>{' '}
                    <Button variant="default" size="xs" onClick={() => setChange({ member, kind: 'remove' })}>
                      Remove
                    </Button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      {change?.kind === 'role' && <ChangeRoleDialogue member={change.member} onClose={close} />}
      {change?.kind === 'remove' && <RemoveDialogue member={change.member} onClose={close} />}
    </>
  )
}

function Invitations({ invitations, mayChange }: { invitations: readonly Invitation[]; mayChange: boolean }) {
  const path = useInstitutePath()
  const withdraw = useCommand<{ id: string }>({
    method: 'DELETE',
    path: ({ id }) => `${path}/team/invitations/${id}`,
    body: () => undefined,
    refreshes: ['team', 'audit'],
    onDone: () => notify('The invitation has been withdrawn.'),
  })
  return (
    <>
      <h2 className="section-title">Invited</h2>
      <TableFrame name="Invited">
        <table className="data-table">
          <thead>
            <tr>
              <th scope="col">E-mail</th>
              <th scope="col">Role</th>
              <th scope="col">Invited by</th>
              <th scope="col">Expires</th>
              {mayChange && (
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {invitations.map(invitation => (
              <tr key={invitation.id}>
                <td>{invitation.email}</td>
                <td>{invitation.role}</td>
                <td>{invitation.invited_by}</td>
                <td>
                  <When at={invitation.expires_at} isReal />
                </td>
                {mayChange && (
                  <td className="right">
                    <Button
                      variant="default"
                      size="xs"
                      onClick={() => withdraw.mutate({ id: invitation.id })}
                    >
                      Withdraw
                    </Button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </>
  )
}
