import { useState } from 'react'
import type { WebhookAnswer } from '../../../../../src/console/developers/developers.list.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { MomentInput } from '../../../ui/form/day-input.tsx'
import { counted } from '../../../ui/money.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { FormDialogue } from '../form-dialogue.tsx'

const DAY_MS = 86_400_000
const IST_MS = 5.5 * 3_600_000

/** The form's text of a moment in India. */
function textOf(moment: number): string {
  return new Date(moment + IST_MS).toISOString().slice(0, 16)
}

export function RecoverDialogue({ webhook, onClose }: { webhook: WebhookAnswer; onClose: () => void }) {
  const path = `${useInstitutePath()}/webhooks/${webhook.id}/recover`
  const [since, setSince] = useState(() => textOf(Date.now() - DAY_MS))
  const recover = useCommand<{ since: string }, { deliveries: number }>({
    method: 'POST',
    path,
    refreshes: ['webhooks', 'deliveries', 'audit'],
    onDone({ deliveries }) {
      notify(
        deliveries === 0
          ? 'Nothing had failed since then.'
          : `${counted(deliveries, 'delivery is', 'deliveries are')} on the way again.`,
      )
      onClose()
    },
  })
  return (
    <FormDialogue
      title="Recover what failed"
      verb="Recover"
      isBusy={recover.isPending}
      error={recover.error}
      onSubmit={() => recover.mutate({ since: `${since}:00+05:30` })}
      onClose={onClose}
    >
      <p role="status">
        {webhook.given_up === 0
          ? 'Nothing was given up.'
          : `${counted(webhook.given_up, 'delivery was', 'deliveries were')} given up and ${webhook.given_up === 1 ? 'waits' : 'wait'} for you.`}
        {webhook.waiting > 0 &&
          ` ${counted(webhook.waiting, 'is still tried by itself', 'are still tried by themselves')}.`}
      </p>
      <p>
        Every delivery given up since this time is sent again, including what an earlier webhook for the same
        event missed. Receivers see the same event ids, so nothing counts twice.
      </p>
      <MomentInput
        label="Since (IST)"
        required
        data-autofocus
        value={since}
        onChange={setSince}
        error={problemOf(recover.error, 'since')}
      />
    </FormDialogue>
  )
}
