import { Alert, Button, Group } from '@mantine/core'
import type { IssuedKeyAnswer } from '../../../../../src/console/developers/developers.routes.ts'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { CopyButton } from '../../../ui/link/copy-button.tsx'

type Props = { issued: IssuedKeyAnswer; note?: string; onClose: () => void }

export function SecretDialogue({ issued, note, onClose }: Props) {
  const { key_id: key, secret } = issued
  return (
    <Dialogue onClose={onClose} title={`The secret of ${issued.label}`} isKept={secret !== undefined}>
      {secret === undefined ? (
        <Alert color="yellow">
          The key was created, but its secret was lost in transit. Revoke it and create another.
        </Alert>
      ) : (
        <>
          <p>Copy it now. It is shown only once and is not stored.</p>
          <p className="faint">Key</p>
          <code className="secret mono">{key}</code>
          <p className="faint">Secret</p>
          <code className="secret mono">{secret}</code>
          <p className="faint">To try it</p>
          <code className="secret mono">
            curl -u {key}:{secret} {location.origin}/api/v1/integrations/pay/orders
          </code>
        </>
      )}
      {note !== undefined && <p className="faint">{note}</p>}
      <Group justify="flex-end" mt="md">
        {secret !== undefined && <CopyButton text={`${key}:${secret}`}>Copy key and secret</CopyButton>}
        <Button onClick={onClose}>I have stored it</Button>
      </Group>
    </Dialogue>
  )
}
