import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { InvitedAnswer } from '../../../../src/console/team/team.schemas.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { useInstitutePath } from '../../api/session.ts'
import { Problem } from '../../ui/problem.tsx'
import { Dialogue } from '../../ui/dialogue/dialogue.tsx'
import { notify } from '../../ui/toasts.tsx'
import { ROLE_CHOICES } from './roles.ts'

export function InviteDialogue({ onClose }: { onClose: () => void }) {
  const path = useInstitutePath()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<string>('viewer')
  const invite = useCommand<{ email: string; role: string }, InvitedAnswer>({
    method: 'POST',
    path: `${path}/team/invitations`,
    refreshes: ['team', 'audit'],
    onDone(answer) {
      notify(`An e-mail is on its way to ${answer.email}.`)
      onClose()
    },
  })
  return (
    <Dialogue onClose={onClose} title="Invite a colleague">
      <form
        onSubmit={event => {
          event.preventDefault()
          invite.mutate({ email, role })
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="E-mail address"
            description="They get a link that works for a week."
            type="email"
            required
            data-autofocus
            value={email}
            onChange={event => setEmail(event.currentTarget.value)}
            error={problemOf(invite.error, 'email')}
          />
          <NativeSelect
            label="Role"
            value={role}
            onChange={event => setRole(event.currentTarget.value)}
            data={[...ROLE_CHOICES]}
          />
          <Problem error={invite.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={invite.isPending}>
              Send the invitation
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialogue>
  )
}
