import { Alert, Anchor, Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { problemOf, useCommand, wholeProblem } from '../../api/command.ts'
import { sessionQuery } from '../../api/session.ts'
import { Gate } from './gate.tsx'
import { useEnter } from './use-enter.ts'

type SignIn = { email: string; password: string; code?: string }
type Answer = { state: 'signed_in' | 'code_needed' }

export function SignInPage() {
  const session = useQuery(sessionQuery).data
  return (
    <Gate title="Sign in" description="Sign in to the console of your institute.">
      <SignInForm />
      {session !== undefined && session.demo_people.length > 0 && (
        <DemoButtons people={session.demo_people} />
      )}
    </Gate>
  )
}

function SignInForm() {
  const enter = useEnter()
  const [sent, setSent] = useState<SignIn>({ email: '', password: '' })
  const [isCodeNeeded, setIsCodeNeeded] = useState(false)
  const signIn = useCommand<SignIn, Answer>({
    method: 'POST',
    path: '/session',
    withoutKey: true,
    onDone({ state }) {
      if (state === 'code_needed') setIsCodeNeeded(true)
      else void enter()
    },
  })
  const whole = wholeProblem(signIn.error)
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        signIn.mutate({ ...sent })
      }}
    >
      <Stack gap="sm" mt="md">
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="username"
          required
          value={sent.email}
          onChange={event => setSent({ ...sent, email: event.currentTarget.value })}
          error={problemOf(signIn.error, 'email')}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={sent.password}
          onChange={event => setSent({ ...sent, password: event.currentTarget.value })}
          error={problemOf(signIn.error, 'password')}
        />
        {isCodeNeeded && (
          <TextInput
            label="Code"
            description="Six digits from your authenticator app, or a recovery code."
            autoComplete="one-time-code"
            required
            autoFocus
            value={sent.code ?? ''}
            onChange={event => setSent({ ...sent, code: event.currentTarget.value })}
            error={problemOf(signIn.error, 'code')}
          />
        )}
        {whole !== undefined && (
          <Alert color="red" role="alert">
            {whole}
          </Alert>
        )}
        <Button type="submit" loading={signIn.isPending} fullWidth>
          Sign in
        </Button>
        <Anchor component={Link} to="/forgot" size="sm">
          Forgot your password?
        </Anchor>
      </Stack>
    </form>
  )
}

function DemoButtons({ people }: { people: readonly { email: string; name: string }[] }) {
  const enter = useEnter()
  const demo = useCommand<{ email: string }>({
    method: 'POST',
    path: '/session/demo',
    withoutKey: true,
    onDone: () => void enter(),
  })
  const whole = wholeProblem(demo.error)
  return (
    <>
      <Divider my="lg" label="This is a sandbox. Sign in as" />
      <Stack gap="xs">
        {people.map(({ email, name }) => (
          <Button
            key={email}
            variant="default"
            onClick={() => demo.mutate({ email })}
            loading={demo.isPending && demo.variables?.email === email}
          >
            {name}
          </Button>
        ))}
        {whole !== undefined && (
          <Alert color="red" role="alert">
            {whole}
          </Alert>
        )}
      </Stack>
    </>
  )
}
