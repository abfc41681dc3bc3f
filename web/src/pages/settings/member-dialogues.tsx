import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import type { TeamAnswer } from '../../../../src/console/team/team.schemas.ts'
import { useCommand } from '../../api/command.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { notify } from '../../ui/toasts.tsx'
import { ROLE_CHOICES } from './roles.ts'

type Props = { member: TeamAnswer['members'][number]; onClose: () => void }

export function ChangeRoleDialogue({ member, onClose }: Props) {
  const path = useInstitutePath()
  const [role, setRole] = useState<string>(member.role)
  const change = useCommand<{ role: string; reason: string }>({
    method: 'PATCH',
    path: `${path}/team/members/${member.user_id}`,
    refreshes: ['team', 'audit', 'session'],
    onDone() {
      notify(`${member.name} is ${role} now.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Change the role of ${member.name}`}
      description="It takes effect immediately."
      verb="Change the role"
      isBusy={change.isPending}
      error={change.error}
      onConfirm={reason => change.mutate({ role, reason })}
    >
      <NativeSelect
        label="Role"
        mb="sm"
        value={role}
        onChange={event => setRole(event.currentTarget.value)}
        data={[...ROLE_CHOICES]}
      />
    </ConfirmWithReason>
  )
}

export function RemoveDialogue({ member, onClose }: Props) {
  const path = useInstitutePath()
  const { name: institute } = useInstitute()
  const remove = useCommand<{ reason: string }>({
    method: 'DELETE',
    path: `${path}/team/members/${member.user_id}`,
    refreshes: ['team', 'audit'],
    onDone() {
      notify(`${member.name} has been removed.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Remove ${member.name}?`}
      description={`${member.name} loses all access to ${institute} at once. Invite them again to undo it.`}
      verb="Remove"
      isDangerous
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={reason => remove.mutate({ reason })}
    />
  )
}
