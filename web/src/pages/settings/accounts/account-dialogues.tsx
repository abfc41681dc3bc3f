import { useBranchName } from '../../../api/choices.ts'
import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type {
  AccountAnswer,
  AccountSetupAnswer,
} from '../../../../../src/providers/accounts/account.schemas.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { UsesFields } from './new-account-dialogue.tsx'
import { SettingsFields, toSettings, type Values } from './settings-fields.tsx'
import { toDrafts, toWays } from './way-fields.tsx'

type Props = { account: AccountAnswer; path: string; onClose: () => void }

const REFRESHES = ['provider-accounts', 'audit']

export function ChangeDialogue({ account, path, onClose }: Props) {
  const [title, setTitle] = useState(account.title)
  const [uses, setUses] = useState({
    methods: [...account.methods],
    rails: [...account.rails],
    ways: toDrafts(account.ways),
  })
  const change = useCommand<object>({
    method: 'PATCH',
    path,
    refreshes: REFRESHES,
    onDone() {
      notify(`${title} is changed.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Change ${account.title}`}
      description="It applies to new payments and mandates. What went through the account stays with it."
      verb="Change it"
      isBusy={change.isPending}
      error={change.error}
      onConfirm={reason => change.mutate({ title, ...uses, ways: toWays(uses.ways), reason })}
    >
      <Stack gap="sm" mb="sm">
        <TextInput
          label="Name"
          required
          maxLength={100}
          value={title}
          onChange={event => setTitle(event.currentTarget.value)}
          error={problemOf(change.error, 'title')}
        />
        <UsesFields uses={uses} onChange={setUses} error={change.error} />
      </Stack>
    </ConfirmWithReason>
  )
}

export function RotateDialogue({ account, setup, path, onClose }: Props & { setup: AccountSetupAnswer }) {
  const [values, setValues] = useState<Values>({})
  const rotate = useCommand<object, AccountAnswer>({
    method: 'POST',
    path: `${path}/rotate`,
    withoutKey: true,
    refreshes: REFRESHES,
    onDone(after) {
      notify(`${after.title} uses the key ${after.key_hint} now. Check the connection.`)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Replace the keys of ${account.title}`}
      description="Calls use the new ones at once. Callbacks signed with the old ones are accepted for three days more, so nothing is lost in between."
      verb="Replace them"
      isBusy={rotate.isPending}
      error={rotate.error}
      problem={problemOf(rotate.error, 'settings')}
      onConfirm={reason => rotate.mutate({ settings: toSettings(values), reason })}
    >
      <Stack gap="sm" mb="sm">
        <SettingsFields
          settings={setup.providers.find(({ name }) => name === account.provider)?.settings ?? []}
          values={values}
          onChange={setValues}
          error={rotate.error}
          isRotation
        />
      </Stack>
    </ConfirmWithReason>
  )
}

export function PauseDialogue({ account, path, onClose }: Props) {
  const isPaused = account.state === 'paused'
  const change = useCommand<{ reason: string }>({
    method: 'POST',
    path: `${path}/${isPaused ? 'resume' : 'pause'}`,
    refreshes: REFRESHES,
    onDone() {
      notify(isPaused ? `${account.title} is in use again.` : `${account.title} is paused.`)
      onClose()
    },
  })
  const branchName = useBranchName()
  const { collector_code: branch } = account
  const who = branch === undefined ? 'Parents' : `Parents of ${branchName(branch)}`
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={isPaused ? `Resume ${account.title}?` : `Pause ${account.title}?`}
      description={
        isPaused
          ? 'New payments and mandates go through it again.'
          : `${who} cannot pay online through it from now on, and nothing takes its place until you resume it or add another account. Payments under way, refunds, debits under existing mandates and settlements go on.`
      }
      verb={isPaused ? 'Resume it' : 'Pause it'}
      isDangerous={!isPaused}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={reason => change.mutate({ reason })}
    />
  )
}
