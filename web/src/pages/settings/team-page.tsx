import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TeamAnswer } from '../../../../src/console/team/team.schemas.ts'
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
import { SecondFactorRule } from './second-factor-rule.tsx'
import { SettingsTabs } from './settings-tabs.tsx'
import { ShortTable } from '../../ui/table/short-table.tsx'

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
          <SecondFactorRule rule={team.data.second_factor} mayChange={mayChange} />
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
  const actionsOf = (member: Member) => (
    <>
      <Button variant="default" size="xs" onClick={() => setChange({ member, kind: 'role' })}>
        Change role
      </Button>{' '}
      <Button variant="default" size="xs" onClick={() => setChange({ member, kind: 'remove' })}>
        Remove
      </Button>
    </>
  )
  return (
    <>
      <h2 className="section-title">Members</h2>
      <ShortTable
        name="Members"
        rows={members}
        rowId={member => member.user_id}
        columns={[
          {
            title: 'Name',
            cell: member => (
              <>
                {member.name} {member.user_id === self?.id && <span className="faint">(you)</span>}
                <div className="faint">{member.email}</div>
                {member.is_disabled && <StatusBadge tone="bad">Disabled</StatusBadge>}
              </>
            ),
          },
          { title: 'Role', cell: member => member.role },
          {
            title: 'Second factor',
            cell: member => (
              <StatusBadge tone={member.has_factor ? 'good' : 'plain'}>
                {member.has_factor ? 'Yes' : 'No'}
              </StatusBadge>
            ),
          },
          {
            title: 'Last active',
            cell: ({ last_seen_at: at }) => (at === undefined ? 'Never' : <When at={at} isReal />),
          },
          ...(mayChange ? [{ title: 'Actions', isAction: true, cell: actionsOf }] : []),
        ]}
      />
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
  const withdrawButton = ({ id }: Invitation) => (
    <Button variant="default" size="xs" onClick={() => withdraw.mutate({ id })}>
      Withdraw
    </Button>
  )
  return (
    <>
      <h2 className="section-title">Invited</h2>
      <ShortTable
        name="Invited"
        rows={invitations}
        rowId={({ id }) => id}
        columns={[
          { title: 'E-mail', cell: ({ email }) => email },
          { title: 'Role', cell: ({ role }) => role },
          { title: 'Invited by', cell: invitation => invitation.invited_by },
          { title: 'Expires', cell: invitation => <When at={invitation.expires_at} isReal /> },
          ...(mayChange ? [{ title: 'Actions', isAction: true, cell: withdrawButton }] : []),
        ]}
      />
    </>
  )
}
