import { Alert, Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { AccountAnswer, RecoveryCodesAnswer } from '../../../../src/console/team/team.schemas.ts'
import { useCommand } from '../../api/command.ts'
import { ProofDialogue, type DialogueProps, type Proof } from './proof-dialogue.tsx'

export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Alert title="Keep these recovery codes" mt="sm" role="status">
      <p>
        Each signs you in once if you lose your devices. They are shown this once: print or save them now.
      </p>
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

type Props = { account: AccountAnswer; onCodes: (codes: readonly string[]) => void }

/** How many are left, and new ones for the password. */
export function RecoverySection({ account, onCodes }: Props) {
  const [isRenewing, setIsRenewing] = useState(false)
  return (
    <>
      <p>
        {account.recovery_codes_left} recovery codes are left. Each signs you in once, in the place of a
        passkey or an app.
      </p>
      <Button variant="default" onClick={() => setIsRenewing(true)}>
        New recovery codes
      </Button>
      {isRenewing && (
        <RenewDialogue account={account} onClose={() => setIsRenewing(false)} onRenewed={onCodes} />
      )}
    </>
  )
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
