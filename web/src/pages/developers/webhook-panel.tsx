import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { DeliveryAnswer, WebhookAnswer } from '../../../../src/console/developers/webhooks.schemas.ts'
import { useAct } from '../../api/act.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/confirm-with-reason.tsx'
import { RawJson, Summary } from '../../ui/detail.tsx'
import { formatCount } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { say } from '../../ui/toasts.tsx'
import { When } from '../../ui/when.tsx'
import { ChangeWebhookDialogue } from './change-webhook-dialogue.tsx'
import { Problem } from './problem.tsx'
import { RecoverDialogue } from './recover-dialogue.tsx'
import { TestResult } from './test-result.tsx'
import { DISABLED_WORDS, HEALTH_WORDS } from './words.ts'

type Props = { webhook: WebhookAnswer; mayChange: boolean; onAddAgain: () => void; onDone: () => void }

/** One subscription: how it fares and what can be done with it. */
export function WebhookPanel({ webhook, mayChange, onAddAgain, onDone }: Props) {
  const { code: institute } = useInstitute()
  const { word, tone } = HEALTH_WORDS[webhook.health]
  return (
    <>
      <Summary
        facts={[
          { label: 'Health', value: <StatusBadge tone={tone}>{word}</StatusBadge> },
          { label: 'Goes to', value: <span className="mono">{webhook.url}</span> },
          { label: 'Branch', value: webhook.collector_code },
          { label: 'Signed', value: webhook.is_signed ? 'Yes' : 'No' },
          {
            label: 'Header',
            value: webhook.header_key && <span className="mono">{webhook.header_key}</span>,
          },
          { label: 'Failures are mailed to', value: webhook.failure_notification_email },
          { label: 'Failures in a row', value: formatCount(webhook.failures_in_row) },
          { label: 'Rests until', value: webhook.paused_until && <When at={webhook.paused_until} isReal /> },
          { label: 'Added', value: <When at={webhook.created_at} isReal /> },
          { label: 'Disabled', value: webhook.disabled_at && <When at={webhook.disabled_at} isReal /> },
          {
            label: 'Because',
            value: webhook.disabled_because && DISABLED_WORDS[webhook.disabled_because],
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
      {mayChange && webhook.disabled_at === undefined && <Acts webhook={webhook} onDone={onDone} />}
      {mayChange && webhook.disabled_at !== undefined && (
        <Button variant="default" onClick={onAddAgain}>
          Add it again
        </Button>
      )}
      <RawJson value={webhook} />
    </>
  )
}

function Acts({ webhook, onDone }: { webhook: WebhookAnswer; onDone: () => void }) {
  const path = `${useInstitutePath()}/webhooks/${webhook.id}`
  const [asked, setAsked] = useState<'change' | 'recover' | 'disable' | null>(null)
  const [tested, setTested] = useState<string | null>(null)
  const close = (): void => setAsked(null)
  const test = useAct<object, DeliveryAnswer>({
    method: 'POST',
    path: `${path}/test`,
    refreshes: ['deliveries', 'audit'],
    onDone: delivery => setTested(delivery.id),
  })
  const disable = useAct<{ reason: string }>({
    method: 'DELETE',
    path,
    refreshes: ['webhooks', 'deliveries', 'audit'],
    onDone() {
      say('The webhook is disabled.')
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
        say="The ERP is not told of this event any more, and what waits is not sent. Add the webhook again to undo it; Recover then sends what was missed."
        verb="Disable"
        isGrave
        isBusy={disable.isPending}
        error={disable.error}
        onConfirm={reason => disable.mutate({ reason })}
      />
    </>
  )
}
