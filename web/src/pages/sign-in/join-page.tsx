import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { InvitationAnswer } from '../../../../src/console/auth/session.schemas.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { send } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { Problem } from '../../ui/problem.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { Gate } from './gate.tsx'
import { useEnter } from './use-enter.ts'

type Accept = { token: string; name?: string; password?: string }

export function JoinPage() {
  const { token = '' } = useParams({ strict: false })
  // The session first: a person who is signed in already sends the token of the session.
  const session = useQuery(sessionQuery)
  const invitation = useQuery({
    queryKey: ['invitation', token],
    enabled: session.isSuccess,
    retry: false,
    queryFn: async () => (await send<InvitationAnswer>('POST', '/invitations/look', { token })).data,
  })
  if (invitation.isPending)
    return (
      <Gate title="Welcome">
        <Loading />
      </Gate>
    )
  if (invitation.isError)
    return (
      <Gate title="This link does not work">
        <Failed error={invitation.error} />
      </Gate>
    )
  const { institute, role, email, invited_by: by } = invitation.data
  return institute === undefined ? (
    <Gate title="Choose a password" description={`For ${email}.`}>
      <AcceptForm token={token} invitation={invitation.data} verb="Set the password" />
    </Gate>
  ) : (
    <Gate title={`Join ${institute}`} description={`${by} invites ${email} as ${role ?? 'a member'}.`}>
      <AcceptForm token={token} invitation={invitation.data} verb={`Join ${institute}`} />
    </Gate>
  )
}

function AcceptForm({
  token,
  invitation,
  verb,
}: {
  token: string
  invitation: InvitationAnswer
  verb: string
}) {
  const enter = useEnter()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const accept = useCommand<Accept, { state: 'signed_in' | 'sign_in' }>({
    method: 'POST',
    path: '/invitations/accept',
    withoutKey: true,
    onDone({ state }) {
      if (state === 'signed_in') {
        void enter()
        return
      }
      notify('Done. Sign in with your password.')
      void navigate({ to: '/sign-in' })
    },
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        accept.mutate({
          token,
          ...(invitation.chooses_name ? { name } : {}),
          ...(invitation.chooses_password ? { password } : {}),
        })
      }}
    >
      <Stack gap="sm" mt="md">
        {invitation.chooses_name && (
          <TextInput
            label="Your name"
            autoComplete="name"
            required
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={problemOf(accept.error, 'name')}
          />
        )}
        {invitation.chooses_password && (
          <PasswordInput
            label="Password"
            description="At least 12 characters. A few words in a row are easy to remember and hard to guess."
            autoComplete="new-password"
            required
            value={password}
            onChange={event => setPassword(event.currentTarget.value)}
            error={problemOf(accept.error, 'password')}
          />
        )}
        <Problem error={accept.error} />
        <Button type="submit" loading={accept.isPending}>
          {verb}
        </Button>
      </Stack>
    </form>
  )
}
