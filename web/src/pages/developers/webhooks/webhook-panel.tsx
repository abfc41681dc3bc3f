import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { WebhookAnswer } from '../../../../../src/console/developers/developers.list.ts'
import type { DeliveryAnswer } from '../../../../../src/webhooks/delivery-log/delivery.list.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { RawJson, Summary } from '../../../ui/detail.tsx'
import { formatCount } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { When } from '../../../ui/when.tsx'
import { ChangeWebhookDialogue } from './change-dialogue.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { RecoverDialogue } from './recover-dialogue.tsx'
import { TestResult } from './test-result.tsx'
import { DISABLED_LABELS, HEALTH_LABELS } from '../texts.ts'

type Props = { webhook: WebhookAnswer; mayChange: boolean; onAddAgain: () => void; onDone: () => void }

export function WebhookPanel({ webhook, mayChange, onAddAgain, onDone }: Props) {
  const { code: institute } = useInstitute()
  const { label, tone } = HEALTH_LABELS[webhook.health]
  return (
    <>
      <Summary
        fields={[
          { label: 'Health', value: <StatusBadge tone={tone}>{label}</StatusBadge> },
          { label: 'Goes to', value: <span className="mono">{webhook.url}</span> },
          { label: 'Branch', value: webhook.collector_code },
          { label: 'Signed', value: webhook.is_signed ? 'Yes' : 'No' },
          {
            label: 'Header',
            value: webhook.header_key && <span className="mono">{webhook.header_key}</span>,
          },
          { label: 'Failures are e-mailed to', value: webhook.failure_notification_email },
          { label: 'Failures in a row', value: formatCount(webhook.failures_in_row) },
          { label: 'Rests until', value: webhook.paused_until && <When at={webhook.paused_until} isReal /> },
          { label: 'Added', value: <When at={webhook.created_at} isReal /> },
          { label: 'Disabled', value: webhook.disabled_at && <When at={webhook.disabled_at} isReal /> },
          {
            label: 'Because',
            value: webhook.disabled_because && DISABLED_LABELS[webhook.disabled_because],
          },
        ]}
      />
      <p>
        <Link
          to="/i/$institute/developers/deliveries"
          params={{ institute }}
          search={{ webhook_id: webhook.id }}
        >
          Its deliveries
        </Link>
        {': '}
        {formatCount(webhook.waiting)} waiting, {formatCount(webhook.given_up)} given up
      </p>
      {mayChange && webhook.disabled_at === undefined && <Actions webhook={webhook} onDone={onDone} />}
      {mayChange && webhook.disabled_at !== undefined && (
        <Button variant="default" onClick={onAddAgain}>
          Add it again
        </Button>
      )}
      <RawJson value={webhook} />
    </>
  )
}

function Actions({ webhook, onDone }: { webhook: WebhookAnswer; onDone: () => void }) {
  const path = `${useInstitutePath()}/webhooks/${webhook.id}`
  const [asked, setAsked] = useState<'change' | 'recover' | 'disable' | null>(null)
  const [tested, setTested] = useState<string | null>(null)
  const close = (): void => setAsked(null)
  const test = useCommand<object, DeliveryAnswer>({
    method: 'POST',
    path: `${path}/test`,
    refreshes: ['deliveries', 'audit'],
    onDone: delivery => setTested(delivery.id),
  })
  const disable = useCommand<{ reason: string }>({
    method: 'DELETE',
    path,
    refreshes: ['webhooks', 'deliveries', 'audit'],
    onDone() {
      notify('The webhook is disabled.')
      onDone()
    },
  })
  return (
    <>
      <Group gap="xs" my="md">
        <Button loading={test.isPending} onClick={() => test.mutate({})}>
          Send a test
        </Button>
        <Button variant="default" onClick={() => setAsked('change')}>
          Change secret or header
        </Button>
        <Button variant="default" onClick={() => setAsked('recover')}>
          Recover
        </Button>
        <Button variant="default" onClick={() => setAsked('disable')}>
          Disable
        </Button>
      </Group>
      <Problem error={test.error} />
      {tested !== null && <TestResult key={tested} deliveryId={tested} />}
      {asked === 'change' && <ChangeWebhookDialogue webhook={webhook} onClose={close} onDone={onDone} />}
      {asked === 'recover' && <RecoverDialogue webhook={webhook} onClose={close} />}
      <ConfirmWithReason
        isOpen={asked === 'disable'}
        onClose={close}
        title={`Disable ${webhook.event_code}?`}
        description="The ERP is no longer notified of this event, and pending deliveries are not sent. To undo this add the webhook again; Recover then sends what was missed."
        verb="Disable"
        isDangerous
        isBusy={disable.isPending}
        error={disable.error}
        onConfirm={reason => disable.mutate({ reason })}
      />
    </>
  )
}
