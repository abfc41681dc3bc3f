import { NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { WebhookAnswer } from '../../../../../src/console/developers/developers.list.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { notify } from '../../../ui/toasts.tsx'
import { FormDialogue } from '../form-dialogue.tsx'
import { useBranches } from '../use-branches.ts'
import { EVENT_CHOICES } from '../texts.ts'

type WebhookForm = Record<
  'event_code' | 'url' | 'failure_notification_email' | 'collector_code' | 'secret_key',
  string
>

export function AddWebhookDialogue({ like, onClose }: { like: Partial<WebhookAnswer>; onClose: () => void }) {
  const path = useInstitutePath()
  const branches = useBranches()
  const [sent, setSent] = useState<WebhookForm>({
    event_code: like.event_code ?? 'pay.payment.debited',
    url: like.url ?? '',
    failure_notification_email: like.failure_notification_email ?? '',
    collector_code: like.collector_code ?? '',
    secret_key: '',
  })
  const add = useCommand<Partial<WebhookForm>>({
    method: 'POST',
    path: `${path}/webhooks`,
    refreshes: ['webhooks', 'audit'],
    onDone() {
      notify('The webhook is added. Open it to send a test.')
      onClose()
    },
  })
  const field = (key: keyof WebhookForm) => ({
    value: sent[key],
    onChange: (event: { currentTarget: { value: string } }) =>
      setSent({ ...sent, [key]: event.currentTarget.value }),
    error: problemOf(add.error, key),
  })
  return (
    <FormDialogue
      title="Add a webhook"
      verb="Add the webhook"
      isBusy={add.isPending}
      error={add.error}
      onSubmit={() =>
        add.mutate({ ...sent, collector_code: sent.collector_code || branches[0]?.collector_code || '' })
      }
      onClose={onClose}
    >
      <NativeSelect label="Event" data={EVENT_CHOICES} data-autofocus {...field('event_code')} />
      {branches.length > 1 && (
        <NativeSelect
          label="Branch"
          data={branches.map(({ collector_code: value, name }) => ({ value, label: name }))}
          {...field('collector_code')}
        />
      )}
      <TextInput
        label="URL"
        description="Events are sent here by POST."
        type="url"
        required
        placeholder="https://erp.example.in/hooks/fees"
        {...field('url')}
      />
      <TextInput
        label="Mail failures to"
        description="One or more addresses, separated by commas."
        required
        {...field('failure_notification_email')}
      />
      <PasswordInput
        label="Signing secret"
        description="Optional, at least 16 random characters. Your receiver verifies the signature with it. It is never shown again."
        autoComplete="new-password"
        {...field('secret_key')}
      />
    </FormDialogue>
  )
}
