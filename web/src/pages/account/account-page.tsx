import { Button, Group, Paper, Stack, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AccountAnswer } from '../../../../src/console/team/team.schemas.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { get } from '../../api/client.ts'
import { PageFrame } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { PasswordForm } from './password-form.tsx'
import { SessionList } from './session-list.tsx'
import { PasskeySection } from './passkey-section.tsx'
import { RecoveryCodes, RecoverySection } from './recovery-codes.tsx'
import { SignInHistory } from './sign-in-history.tsx'
import { TotpSection } from './totp-section.tsx'

export function AccountPage() {
  const account = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => get<AccountAnswer>('/account', {}, signal),
  })
  return (
    <PageFrame title="Your account">
      {account.isPending && <Loading />}
      {account.isError && <Failed error={account.error} retry={() => void account.refetch()} />}
      {account.isSuccess && (
        <Stack maw={720}>
          <Section title="You">
            <NameForm account={account.data} />
          </Section>
          <Section title="Password">
            <PasswordForm account={account.data} />
          </Section>
          <FactorSections account={account.data} />
          <Section title="Where you are signed in">
            <SessionList />
          </Section>
          <Section title="Sign-in history">
            <SignInHistory />
          </Section>
        </Stack>
      )}
    </PageFrame>
  )
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  )
}

/** What somebody signs in with besides the password. */
function FactorSections({ account }: { account: AccountAnswer }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const hasFactor = account.has_totp || account.passkeys.length > 0
  return (
    <>
      {codes !== null && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
      <Section title="Passkeys">
        <PasskeySection account={account} onCodes={setCodes} />
      </Section>
      <Section title="Authenticator app">
        <TotpSection account={account} onCodes={setCodes} />
      </Section>
      {hasFactor && (
        <Section title="Recovery codes">
          <RecoverySection account={account} onCodes={setCodes} />
        </Section>
      )}
    </>
  )
}

function NameForm({ account }: { account: AccountAnswer }) {
  const [name, setName] = useState(account.name)
  const rename = useCommand<{ name: string }>({
    method: 'PATCH',
    path: '/account',
    refreshes: ['account', 'session'],
    onDone: () => notify('Your name has been changed.'),
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        rename.mutate({ name })
      }}
    >
      <p className="faint">You sign in as {account.email}.</p>
      <Group align="flex-end">
        <TextInput
          label="Name"
          value={name}
          onChange={event => setName(event.currentTarget.value)}
          error={problemOf(rename.error, 'name')}
          required
        />
        <Button type="submit" variant="default" loading={rename.isPending} disabled={name === account.name}>
          Save
        </Button>
      </Group>
    </form>
  )
}
