import { Anchor, Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, send } from '../../api/client.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { hasPasskeys, signWithPasskey } from '../../api/passkeys.ts'
import { sessionQuery } from '../../api/session.ts'
import { Problem } from '../../ui/problem.tsx'
import { Gate } from './gate.tsx'
import { useEnter } from './use-enter.ts'

type SignIn = { email: string; password: string; code?: string; passkey?: string; mail_code?: string }
type SignInAnswer = { state: 'signed_in' | 'code_needed'; passkey_options?: string; only_passkeys?: boolean }

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
  const [needed, setNeeded] = useState<SignInAnswer | null>(null)
  const signIn = useCommand<SignIn, SignInAnswer>({
    method: 'POST',
    path: '/session',
    withoutKey: true,
    onDone(answer) {
      if (answer.state === 'code_needed') setNeeded(answer)
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
        {needed !== null && <SecondStep needed={needed} sent={sent} onChange={setSent} signIn={signIn} />}
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
        {needed === null && hasPasskeys() && <PasskeyButton />}
      </Stack>
    </form>
  )
}

type SecondStepProps = {
  needed: SignInAnswer
  sent: SignIn
  onChange: (sent: SignIn) => void
  signIn: { mutate: (sent: SignIn) => void; error: Error | null; isPending: boolean }
}

/** A passkey or a code, of somebody who has set up one of them. */
function SecondStep({ needed, sent, onChange, signIn }: SecondStepProps) {
  const isRecovery = needed.only_passkeys === true
  return (
    <>
      {needed.passkey_options !== undefined && hasPasskeys() && (
        <FactorButton
          options={needed.passkey_options}
          renew={async () =>
            (await send<SignInAnswer>('POST', '/session', { ...sent, code: undefined })).data
          }
          isBusy={signIn.isPending}
          onSigned={passkey => signIn.mutate({ ...sent, passkey })}
        />
      )}
      <TextInput
        label={isRecovery ? 'Recovery code' : 'Code'}
        description={
          isRecovery
            ? 'If you do not have your passkey at hand.'
            : 'Six digits from your authenticator app, or a recovery code.'
        }
        autoComplete="one-time-code"
        required
        autoFocus={needed.passkey_options === undefined}
        value={sent.code ?? ''}
        onChange={event => onChange({ ...sent, code: event.currentTarget.value })}
        error={problemOf(signIn.error, 'code')}
      />
    </>
  )
}

type FactorButtonProps = {
  options: string
  renew: () => Promise<SignInAnswer>
  isBusy: boolean
  onSigned: (passkey: string) => void
}

/** The second step with a passkey. What it signs is good once: for another try there is something new to sign. */
function FactorButton({ options, renew, isBusy, onSigned }: FactorButtonProps) {
  const [isSpent, setIsSpent] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const sign = async (): Promise<void> => {
    setError(null)
    try {
      const fresh = isSpent ? ((await renew()).passkey_options ?? options) : options
      setIsSpent(true)
      onSigned(await signWithPasskey(fresh))
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    }
  }
  return (
    <>
      <Button autoFocus loading={isBusy} onClick={() => void sign()}>
        Use your passkey
      </Button>
      <Problem error={error} />
      <Divider label="or" />
    </>
  )
}

/** A passkey in the place of address and password. */
function PasskeyButton() {
  const enter = useEnter()
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const signIn = async (): Promise<void> => {
    setIsBusy(true)
    setError(null)
    try {
      const { data } = await send<{ options: string }>('POST', '/session/passkey/options', {})
      await send('POST', '/session/passkey', { passkey: await signWithPasskey(data.options) })
      await enter()
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Stack gap="xs">
      <Divider label="or" />
      <Button variant="default" loading={isBusy} onClick={() => void signIn()}>
        Sign in with a passkey
      </Button>
      <Problem error={error} />
    </Stack>
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
