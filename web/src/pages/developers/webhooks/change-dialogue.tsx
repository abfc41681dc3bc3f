import { Checkbox, PasswordInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { WebhookAnswer } from '../../../../../src/console/developers/developers.list.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { notify } from '../../../ui/toasts.tsx'
import { FormDialogue } from '../form-dialogue.tsx'

type Change = { secret_key?: string | null; header_key?: string | null; header_value?: string | null }
type Props = { webhook: WebhookAnswer; onClose: () => void; onDone: () => void }

export function ChangeWebhookDialogue({ webhook, onClose, onDone }: Props) {
  const path = `${useInstitutePath()}/webhooks/${webhook.id}`
  const [secret, setSecret] = useState('')
  const [isUnsigned, setIsUnsigned] = useState(false)
  const [headerKey, setHeaderKey] = useState(webhook.header_key ?? '')
  const [headerValue, setHeaderValue] = useState('')
  const change = useCommand<Change>({
    method: 'PATCH',
    path,
    refreshes: ['webhooks', 'audit'],
    onDone() {
      notify('Changed. The old secret keeps signing alongside the new one for a day.')
      onDone()
    },
  })
  const wanted = (): Change => ({
    ...(isUnsigned ? { secret_key: null } : secret === '' ? {} : { secret_key: secret }),
    ...(headerKey === '' ? { header_key: null, header_value: null } : { header_key: headerKey }),
    ...(headerKey === '' || headerValue === '' ? {} : { header_value: headerValue }),
  })
  return (
    <FormDialogue
      title="Change secret or header"
      verb="Change it"
      isBusy={change.isPending}
      error={change.error}
      onSubmit={() => change.mutate(wanted())}
      onClose={onClose}
    >
      <p className="faint">
        To send it elsewhere, add the webhook again after disabling this one. What was missed in between can
        be recovered.
      </p>
      <PasswordInput
        label="New signing secret"
        description={webhook.is_signed ? 'Leave empty to keep the current one.' : 'It is not signed now.'}
        autoComplete="new-password"
        disabled={isUnsigned}
        value={secret}
        onChange={event => setSecret(event.currentTarget.value)}
        error={problemOf(change.error, 'secret_key')}
        data-autofocus
      />
      {webhook.is_signed && (
        <Checkbox
          label="Stop signing"
          checked={isUnsigned}
          onChange={event => setIsUnsigned(event.currentTarget.checked)}
        />
      )}
      <TextInput
        label="Header"
        description="For example X-Api-Key. Leave empty to send none."
        value={headerKey}
        onChange={event => setHeaderKey(event.currentTarget.value)}
        error={problemOf(change.error, 'header_key')}
      />
      <PasswordInput
        label="Value of the header"
        description="Leave empty to keep the current one."
        autoComplete="new-password"
        disabled={headerKey === ''}
        value={headerValue}
        onChange={event => setHeaderValue(event.currentTarget.value)}
        error={problemOf(change.error, 'header_value')}
      />
    </FormDialogue>
  )
}
