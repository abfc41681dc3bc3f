import { Anchor, Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { sessionQuery } from '../../api/session.ts'
import { Problem } from '../../ui/problem.tsx'
import { Gate } from './gate.tsx'
import { useEnter } from './use-enter.ts'

type SignIn = { email: string; password: string; code?: string; mail_code?: string }
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
  const isBlocked = signIn.error instanceof ApiError && signIn.error.status === 429
  const isWaiting = isBlocked || sent.mail_code !== undefined
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
        <Problem error={signIn.error} />
        {isWaiting && (
          <MailedCode
            email={sent.email}
            value={sent.mail_code ?? ''}
            onChange={code => setSent({ ...sent, mail_code: code })}
            error={problemOf(signIn.error, 'mail_code')}
          />
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

type MailedCodeProps = {
  email: string
  value: string
  onChange: (code: string) => void
  error: string | undefined
}

/** After too many wrong passwords, which may have been a stranger's: a code by e-mail lets its reader try at once. */
function MailedCode({ email, value, onChange, error }: MailedCodeProps) {
  const ask = useCommand<{ email: string }>({
    method: 'POST',
    path: '/session/unlock',
    withoutKey: true,
    onDone: () => onChange(value),
  })
  return (
    <>
      {ask.isSuccess && (
        <TextInput
          label="Code from the e-mail"
          description={`If ${email} has an account, a mail with a code is on its way. It may take a minute.`}
          autoComplete="one-time-code"
          autoFocus
          value={value}
          onChange={event => onChange(event.currentTarget.value)}
          error={error}
        />
      )}
      <Problem error={ask.error} />
      <Button variant="default" loading={ask.isPending} onClick={() => ask.mutate({ email })}>
        {ask.isSuccess ? 'E-mail me another code' : 'E-mail me a code'}
      </Button>
    </>
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
        <Problem error={demo.error} />
      </Stack>
    </>
  )
}
