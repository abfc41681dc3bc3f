import { Button, Group, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { AccountAnswer, AddedPasskeyAnswer } from '../../../../src/console/team/team.schemas.ts'
import { send } from '../../api/client.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { hasPasskeys, makePasskey } from '../../api/passkeys.ts'
import { Dialogue } from '../../ui/dialogue/dialogue.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ShortTable } from '../../ui/table/short-table.tsx'
import { notify } from '../../ui/toasts.tsx'
import { When } from '../../ui/when.tsx'
import { browserOf } from './browser-name.ts'
import { CurrentPassword, ProofDialogue, type DialogueProps, type Proof } from './proof-dialogue.tsx'

type Passkey = AccountAnswer['passkeys'][number]
type Props = { account: AccountAnswer; onCodes: (codes: readonly string[]) => void }

/** Devices that sign in with a finger, a face or a PIN. */
export function PasskeySection({ account, onCodes }: Props) {
  const [isAdding, setIsAdding] = useState(false)
  const [change, setChange] = useState<{ kind: 'rename' | 'remove'; passkey: Passkey } | null>(null)
  const close = (): void => setChange(null)
  return (
    <>
      <p>
        A phone, computer or security key signs you in with a finger, a face or a PIN. It works on this site
        alone, so no false page can ask you for it.
      </p>
      {account.passkeys.length > 0 && (
        <ShortTable
          name="Passkeys"
          rows={account.passkeys}
          rowId={({ id }) => id}
          columns={[
            {
              title: 'Name',
              cell: ({ name, added_at: at }) => (
                <>
                  {name}
                  <div className="faint">
                    added <When at={at} isReal />
                  </div>
                </>
              ),
            },
            {
              title: 'Last used',
              cell: ({ last_used_at: at }) => (at === undefined ? 'Never' : <When at={at} isReal />),
            },
            {
              title: 'Actions',
              isAction: true,
              cell: passkey => (
                <>
                  <Button variant="default" size="xs" onClick={() => setChange({ kind: 'rename', passkey })}>
                    Rename
                  </Button>{' '}
                  <Button variant="default" size="xs" onClick={() => setChange({ kind: 'remove', passkey })}>
                    Remove
                  </Button>
                </>
              ),
            },
          ]}
        />
      )}
      {account.has_passkey_site && hasPasskeys() ? (
        <Button variant="default" mt="sm" onClick={() => setIsAdding(true)}>
          Add a passkey
        </Button>
      ) : (
        <p className="faint">
          {account.has_passkey_site
            ? 'This browser has no passkeys. Use another one, or an authenticator app.'
            : 'Browsers have passkeys for a name such as fees.example.in, not for a bare address.'}
        </p>
      )}
      {isAdding && (
        <AddDialogue
          account={account}
          onClose={() => setIsAdding(false)}
          onAdded={codes => {
            if (codes.length > 0) onCodes(codes)
          }}
        />
      )}
      {change?.kind === 'rename' && <RenameDialogue passkey={change.passkey} onClose={close} />}
      {change?.kind === 'remove' && (
        <RemoveDialogue account={account} passkey={change.passkey} onClose={close} />
      )}
    </>
  )
}

/** The password first; then the browser asks for the finger, face or PIN. */
export function AddDialogue({
  account,
  onClose,
  onAdded,
}: DialogueProps & { onAdded: (codes: readonly string[]) => void }) {
  const client = useQueryClient()
  const [name, setName] = useState(() => browserOf(navigator.userAgent))
  const [password, setPassword] = useState('')
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const add = async (): Promise<void> => {
    setIsBusy(true)
    setError(null)
    try {
      const proof = account.has_password ? { password } : {}
      const start = await send<{ options: string }>('POST', '/account/passkeys/options', proof)
      const passkey = await makePasskey(start.data.options)
      const { data } = await send<AddedPasskeyAnswer>('POST', '/account/passkeys', { name, passkey })
      await client.invalidateQueries({ queryKey: ['account'] })
      notify(`${data.name} signs you in from now on.`)
      onClose()
      onAdded(data.recovery_codes)
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Dialogue onClose={onClose} title="Add a passkey">
      <form
        onSubmit={event => {
          event.preventDefault()
          void add()
        }}
      >
        <TextInput
          label="Name"
          description="So that you know later which device it is."
          required
          maxLength={60}
          mb="sm"
          value={name}
          onChange={event => setName(event.currentTarget.value)}
          error={problemOf(error, 'name')}
        />
        <CurrentPassword account={account} value={password} onChange={setPassword} error={error} />
        <Problem error={error} of="passkey" />
        <Group justify="flex-end" mt="md">
          <Button type="submit" loading={isBusy}>
            Continue
          </Button>
        </Group>
      </form>
    </Dialogue>
  )
}

function RenameDialogue({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkey.name)
  const rename = useCommand<{ name: string }>({
    method: 'PATCH',
    path: `/account/passkeys/${passkey.id}`,
    refreshes: ['account'],
    onDone: onClose,
  })
  return (
    <Dialogue onClose={onClose} title="Rename the passkey">
      <form
        onSubmit={event => {
          event.preventDefault()
          rename.mutate({ name })
        }}
      >
        <TextInput
          label="Name"
          required
          maxLength={60}
          data-autofocus
          value={name}
          onChange={event => setName(event.currentTarget.value)}
          error={problemOf(rename.error, 'name')}
        />
        <Problem error={rename.error} />
        <Group justify="flex-end" mt="md">
          <Button type="submit" loading={rename.isPending}>
            Save
          </Button>
        </Group>
      </form>
    </Dialogue>
  )
}

function RemoveDialogue({ passkey, ...props }: DialogueProps & { passkey: Passkey }) {
  const remove = useCommand<Proof>({
    method: 'POST',
    path: `/account/passkeys/${passkey.id}/remove`,
    withoutKey: true,
    refreshes: ['account'],
    onDone() {
      notify(`${passkey.name} does not sign you in any more.`)
      props.onClose()
    },
  })
  return <ProofDialogue {...props} action={remove} title={`Remove ${passkey.name}?`} verb="Remove" />
}
