import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { AccountAnswer } from '../../../../src/console/team/team.schemas.ts'
import { get } from '../../api/client.ts'
import { useCommand } from '../../api/command.ts'
import { hasPasskeys } from '../../api/passkeys.ts'
import { useSession } from '../../api/session.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { AddDialogue } from '../account/passkey-section.tsx'
import { PasswordForm } from '../account/password-form.tsx'
import { RecoveryCodes } from '../account/recovery-codes.tsx'
import { SignOutEverywhere } from '../account/session-list.tsx'
import { SignInHistory } from '../account/sign-in-history.tsx'
import { TotpSection } from '../account/totp-section.tsx'
import { Gate } from './gate.tsx'
import { useEnter } from './use-enter.ts'

/** Before anything else, for somebody of whom a second factor is required and who has none. */
export function SecondFactorPage() {
  const session = useSession()
  const enter = useEnter()
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const isNeeded = session?.person?.is_missing_factor === true
  const account = useQuery({
    queryKey: ['account'],
    enabled: isNeeded,
    queryFn: ({ signal }) => get<AccountAnswer>('/account', {}, signal),
  })
  if (codes !== null)
    return (
      <Gate title="Your second factor is set up">
        <RecoveryCodes codes={codes} onClose={() => void enter()} />
      </Gate>
    )
  if (session !== undefined && !isNeeded) return <Navigate to="/" />
  return (
    <Gate
      isWide
      title="Set up a second factor"
      description="It is required of you: besides your password, something that only you have. Choose one; you can add more later. Look at your sign-in history below first: somebody else who knows your password would stand there."
    >
      {account.isPending && <Loading />}
      {account.isError && <Failed error={account.error} retry={() => void account.refetch()} />}
      {account.isSuccess && (
        <>
          <Choices account={account.data} onCodes={setCodes} />
          <History account={account.data} />
        </>
      )}
      <SignOutButton />
    </Gate>
  )
}

function Choices({
  account,
  onCodes,
}: {
  account: AccountAnswer
  onCodes: (codes: readonly string[]) => void
}) {
  const [isAdding, setIsAdding] = useState(false)
  return (
    <Stack gap="md" mt="md">
      {account.has_passkey_site && hasPasskeys() && (
        <section aria-label="Passkey">
          <h2 className="section-title">Passkey</h2>
          <p>Your phone, computer or security key asks for a finger, a face or a PIN. The easiest way.</p>
          <Button onClick={() => setIsAdding(true)}>Add a passkey</Button>
        </section>
      )}
      <section aria-label="Authenticator app">
        <h2 className="section-title">Authenticator app</h2>
        <TotpSection account={account} onCodes={onCodes} />
      </section>
      {isAdding && <AddDialogue account={account} onClose={() => setIsAdding(false)} onAdded={onCodes} />}
    </Stack>
  )
}

const MOST_SHOWN = 5

/** Says what to do about a sign-in that was somebody else's, while the rest of the account is still shut. */
function History({ account }: { account: AccountAnswer }) {
  return (
    <Stack component="section" aria-label="Your sign-in history" gap="xs" mt="md">
      <h2 className="section-title">Sign-in history</h2>
      <SignInHistory most={MOST_SHOWN} />
      <details>
        <summary>Choose a new password</summary>
        <PasswordForm account={account} />
      </details>
      <div>
        <SignOutEverywhere />
      </div>
    </Stack>
  )
}

function SignOutButton() {
  const signOut = useCommand({
    method: 'DELETE',
    path: '/session',
    body: () => undefined,
    onDone: () => location.assign('/console/sign-in'),
  })
  return (
    <Button variant="subtle" mt="md" loading={signOut.isPending} onClick={() => signOut.mutate()}>
      Sign out
    </Button>
  )
}
