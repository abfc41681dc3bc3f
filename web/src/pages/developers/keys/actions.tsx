import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { KeyAnswer } from '../../../../../src/console/developers/developers.list.ts'
import type { IssuedKeyAnswer, ScopeAnswer } from '../../../../../src/console/developers/developers.routes.ts'
import { get } from '../../../api/client.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { Problem } from '../../../ui/problem.tsx'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { SecretDialogue } from './secret-dialogue.tsx'

/** Rotating can be undone by revoking the new key; revoking cannot be undone. */
export function KeyActs({ apiKey, onDone }: { apiKey: KeyAnswer; onDone: () => void }) {
  const institute = useInstitutePath()
  const path = `${institute}/keys/${apiKey.key_id}`
  const [isRevoking, setIsRevoking] = useState(false)
  const [issued, setIssued] = useState<IssuedKeyAnswer | null>(null)
  const rotate = useCommand<object, IssuedKeyAnswer>({
    method: 'POST',
    path: `${path}/rotate`,
    refreshes: ['keys', 'audit'],
    onDone: setIssued,
  })
  const revoke = useCommand<{ reason: string }>({
    method: 'DELETE',
    path,
    refreshes: ['keys', 'audit'],
    onDone() {
      notify(`${apiKey.label} is revoked. It stops working everywhere within five seconds.`)
      onDone()
    },
  })
  const grantable = useQuery({
    queryKey: ['scopes', institute],
    queryFn: ({ signal }) => get<ScopeAnswer[]>(`${institute}/keys/scopes`, {}, signal),
  })
  const isBeyond = apiKey.scopes.some(
    scope => grantable.data !== undefined && !grantable.data.some(one => one.scope === scope),
  )
  return (
    <>
      <Problem error={rotate.error} />
      <Group mt="md">
        <Button
          variant="default"
          loading={rotate.isPending}
          disabled={isBeyond}
          title={isBeyond ? 'It may do more than you may grant. Ask an owner.' : undefined}
          onClick={() => rotate.mutate({})}
        >
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
        description="The key stops working within five seconds, and cannot be used again."
        verb="Revoke"
        isDangerous
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
