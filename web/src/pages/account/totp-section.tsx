import { Alert, Anchor, Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type {
  AccountAnswer,
  RecoveryCodesAnswer,
  TotpStartAnswer,
} from '../../../../src/console/team/account.output.ts'
import { problemOf, useCommand, wholeProblem } from '../../api/command.ts'
import { Problem } from '../../ui/problem.tsx'
import { Dialogue } from '../../ui/dialogue/dialogue.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { notify } from '../../ui/toasts.tsx'

type Proof = { password?: string }
type Wish = 'start' | 'remove' | 'renew'

/** Codes of an app: off, being set up, or on. */
export function TotpSection({ account }: { account: AccountAnswer }) {
  const [wish, setWish] = useState<Wish | null>(null)
  const [setup, setSetup] = useState<TotpStartAnswer | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const done = (): void => setWish(null)
  return (
    <>
      {account.has_totp ? (
        <>
          <p>
            <StatusBadge tone="good">On</StatusBadge> Signing in takes a code. {account.recovery_codes_left}{' '}
            recovery codes are left.
          </p>
          <Group gap="xs">
            <Button variant="default" onClick={() => setWish('renew')}>
              New recovery codes
            </Button>
            <Button variant="default" color="red" onClick={() => setWish('remove')}>
              Switch off
            </Button>
          </Group>
        </>
      ) : (
        <>
          <p>
            <StatusBadge tone="plain">Off</StatusBadge> A code from your phone keeps others out even if they
            know your password.
          </p>
          {setup === null && (
            <Button variant="default" onClick={() => setWish('start')}>
              Set up an app
            </Button>
          )}
        </>
      )}
      {setup !== null && (
        <ConfirmSetup
          setup={setup}
          onDone={fresh => {
            setSetup(null)
            setCodes(fresh)
          }}
        />
      )}
      {codes !== null && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
      {wish === 'start' && <StartDialogue account={account} onClose={done} onStarted={setSetup} />}
      {wish === 'remove' && <RemoveDialogue account={account} onClose={done} />}
      {wish === 'renew' && <RenewDialogue account={account} onClose={done} onRenewed={setCodes} />}
    </>
  )
}

function ConfirmSetup({
  setup,
  onDone,
}: {
  setup: TotpStartAnswer
  onDone: (codes: readonly string[]) => void
}) {
  const [code, setCode] = useState('')
  const confirm = useCommand<{ code: string }, RecoveryCodesAnswer>({
    method: 'POST',
    path: '/account/totp/confirm',
    withoutKey: true,
    refreshes: ['account'],
    onDone: answer => onDone(answer.recovery_codes),
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        confirm.mutate({ code })
      }}
    >
      <Stack gap="sm" mt="sm" maw={420}>
        <p>Scan this with your authenticator app, then type the six digits it shows.</p>
        <img
          src={`data:image/svg+xml,${encodeURIComponent(setup.qr_svg)}`}
          alt="QR code for the authenticator app"
          width={200}
          height={200}
        />
        <p className="faint">
          No camera? <Anchor href={setup.uri}>Open the app on this device</Anchor> or type{' '}
          <span className="mono">{setup.secret}</span>
        </p>
        <TextInput
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          value={code}
          onChange={event => setCode(event.currentTarget.value)}
          error={problemOf(confirm.error, 'code') ?? wholeProblem(confirm.error)}
        />
        <div>
          <Button type="submit" loading={confirm.isPending}>
            Confirm
          </Button>
        </div>
      </Stack>
    </form>
  )
}

function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Alert title="Keep these recovery codes" mt="sm" role="status">
      <p>Each signs you in once if you lose the phone. They are shown this once: print or save them now.</p>
      <ul className="codes mono">
        {codes.map(code => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group mt="sm" gap="xs">
        <Button variant="default" size="xs" onClick={() => print()}>
          Print
        </Button>
        <Button size="xs" onClick={onClose}>
          I have kept them
        </Button>
      </Group>
    </Alert>
  )
}

type DialogueProps = { account: AccountAnswer; onClose: () => void }

function StartDialogue({
  onStarted,
  ...props
}: DialogueProps & { onStarted: (setup: TotpStartAnswer) => void }) {
  const start = useCommand<Proof, TotpStartAnswer>({
    method: 'POST',
    path: '/account/totp',
    withoutKey: true,
    onDone(setup) {
      onStarted(setup)
      props.onClose()
    },
  })
  return <ProofDialogue {...props} action={start} title="Set up an app" verb="Continue" />
}

function RemoveDialogue(props: DialogueProps) {
  const remove = useCommand<Proof>({
    method: 'POST',
    path: '/account/totp/remove',
    withoutKey: true,
    refreshes: ['account'],
    onDone() {
      notify('Sign-in codes are no longer required.')
      props.onClose()
    },
  })
  return <ProofDialogue {...props} action={remove} title="Switch codes off" verb="Switch off" />
}

function RenewDialogue({
  onRenewed,
  ...props
}: DialogueProps & { onRenewed: (codes: readonly string[]) => void }) {
  const renew = useCommand<Proof, RecoveryCodesAnswer>({
    method: 'POST',
    path: '/account/recovery-codes',
    withoutKey: true,
    refreshes: ['account'],
    onDone(answer) {
      onRenewed(answer.recovery_codes)
      props.onClose()
    },
  })
  return <ProofDialogue {...props} action={renew} title="New recovery codes" verb="Generate new codes" />
}

/** Changing how one signs in needs the password again. */
function ProofDialogue({
  account,
  onClose,
  action,
  title,
  verb,
}: DialogueProps & {
  action: { mutate: (proof: Proof) => void; error: Error | null; isPending: boolean }
  title: string
  verb: string
}) {
  const [password, setPassword] = useState('')
  return (
    <Dialogue onClose={onClose} title={title}>
      <form
        onSubmit={event => {
          event.preventDefault()
          action.mutate(account.has_password ? { password } : {})
        }}
      >
        {account.has_password && (
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            required
            data-autofocus
            value={password}
            onChange={event => setPassword(event.currentTarget.value)}
            error={problemOf(action.error, 'password')}
          />
        )}
        <Problem error={action.error} />
        <Group justify="flex-end" mt="md">
          <Button type="submit" loading={action.isPending}>
            {verb}
          </Button>
        </Group>
      </form>
    </Dialogue>
  )
}
