import { Anchor, Button, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type {
  AccountAnswer,
  RecoveryCodesAnswer,
  TotpStartAnswer,
} from '../../../../src/console/team/team.schemas.ts'
import { problemOf, useCommand, wholeProblem } from '../../api/command.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { notify } from '../../ui/toasts.tsx'
import { ProofDialogue, type DialogueProps, type Proof } from './proof-dialogue.tsx'

type Wish = 'start' | 'remove'

type Props = { account: AccountAnswer; onCodes: (codes: readonly string[]) => void }

/** Codes of an app: off, being set up, or on. */
export function TotpSection({ account, onCodes }: Props) {
  const [wish, setWish] = useState<Wish | null>(null)
  const [setup, setSetup] = useState<TotpStartAnswer | null>(null)
  const done = (): void => setWish(null)
  return (
    <>
      {account.has_totp ? (
        <>
          <p>
            <StatusBadge tone="good">On</StatusBadge> Signing in takes a code of your app.
          </p>
          <Button variant="default" color="red" onClick={() => setWish('remove')}>
            Switch off
          </Button>
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
            onCodes(fresh)
          }}
        />
      )}
      {wish === 'start' && <StartDialogue account={account} onClose={done} onStarted={setSetup} />}
      {wish === 'remove' && <RemoveDialogue account={account} onClose={done} />}
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
