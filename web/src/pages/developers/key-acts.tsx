import { Alert, Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { IssuedKeyAnswer, KeyAnswer } from '../../../../src/console/developers/keys.schemas.ts'
import { useAct, wholeProblem } from '../../api/act.ts'
import { useInstitutePath } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/confirm-with-reason.tsx'
import { say } from '../../ui/toasts.tsx'
import { SecretDialogue } from './secret-dialogue.tsx'

/** Rotating is safe and undone by revoking the new one; revoking is for good. */
export function KeyActs({ apiKey, onDone }: { apiKey: KeyAnswer; onDone: () => void }) {
  const path = `${useInstitutePath()}/keys/${apiKey.key_id}`
  const [isRevoking, setIsRevoking] = useState(false)
  const [issued, setIssued] = useState<IssuedKeyAnswer | null>(null)
  const rotate = useAct<object, IssuedKeyAnswer>({
    method: 'POST',
    path: `${path}/rotate`,
    refreshes: ['keys', 'audit'],
    onDone: setIssued,
  })
  const revoke = useAct<{ reason: string }>({
    method: 'DELETE',
    path,
    refreshes: ['keys', 'audit'],
    onDone() {
      say(`${apiKey.label} is revoked. It is refused everywhere within five seconds.`)
      onDone()
    },
  })
  const whole = wholeProblem(rotate.error)
  return (
    <>
      {whole !== undefined && (
        <Alert color="red" role="alert" mt="md">
          {whole}
        </Alert>
      )}
      <Group mt="md">
        <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate({})}>
          Rotate
        </Button>
        <Button variant="default" onClick={() => setIsRevoking(true)}>
          Revoke
        </Button>
      </Group>
      <p className="faint">
        Rotate makes a second key with the same rights; the old one works on until you revoke it.
      </p>
      <ConfirmWithReason
        isOpen={isRevoking}
        onClose={() => setIsRevoking(false)}
        title={`Revoke ${apiKey.label}?`}
        say="The ERP that uses this key is refused within five seconds, and the key never works again."
        verb="Revoke"
        isGrave
        isBusy={revoke.isPending}
        error={revoke.error}
        onConfirm={reason => revoke.mutate({ reason })}
      />
      {issued !== null && (
        <SecretDialogue
          issued={issued}
          note={`${apiKey.key_id} works on until you revoke it.`}
          onClose={onDone}
        />
      )}
    </>
  )
}
