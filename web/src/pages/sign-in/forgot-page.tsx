import { Alert, Anchor, Button, Stack, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { problemOf, useCommand } from '../../api/command.ts'
import { Problem } from '../../ui/problem.tsx'
import { Gate } from './gate.tsx'

export function ForgotPage() {
  const [email, setEmail] = useState('')
  const forgot = useCommand<{ email: string }>({ method: 'POST', path: '/session/forgot', withoutKey: true })
  return (
    <Gate title="Choose a new password" description="We e-mail you a link that works for a day.">
      {forgot.isSuccess ? (
        <Alert role="status" mt="md">
          If {email} has an account, a mail is on its way. It may take a minute.
        </Alert>
      ) : (
        <form
          onSubmit={event => {
            event.preventDefault()
            forgot.mutate({ email })
          }}
        >
          <Stack gap="sm" mt="md">
            <TextInput
              label="E-mail address"
              type="email"
              autoComplete="username"
              required
              value={email}
              onChange={event => setEmail(event.currentTarget.value)}
              error={problemOf(forgot.error, 'email')}
            />
            <Problem error={forgot.error} />
            <Button type="submit" loading={forgot.isPending}>
              E-mail me a link
            </Button>
          </Stack>
        </form>
      )}
      <Anchor component={Link} to="/sign-in" size="sm" mt="md" display="block">
        Back to sign in
      </Anchor>
    </Gate>
  )
}
