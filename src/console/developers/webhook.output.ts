import type { EventCode } from '../../events/define-event.ts'
import { field, input } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { webhookFields } from '../../webhooks/subscriptions/subscription.schemas.ts'
import { WEBHOOK_HEALTH } from './developers.rules.ts'
import type { Webhook } from './webhooks.service.ts'

/** What the console shows of webhooks beyond what the ERP's API answers. */
const out = outputOf<Webhook>()
export const webhookOutput = out.object({
  ...webhookFields,
  collector_code: out.text('The branch.', 'MAIN'),
  health: out.oneOf(WEBHOOK_HEALTH, 'How it fares.'),
  waiting: out.integer('Deliveries that are due or will be tried again.', 3),
  given_up: out.integer('Deliveries that nobody tries any more.', 0),
  header_key: out.optional.text('The name of the header that goes with them.', 'X-Api-Key'),
})

const added = outputOf<{ id: string }>()
export const addedWebhookOutput = added.object({ id: webhookFields.id })

export const reasonInput = input({ reason: field.text('Why; stands in the audit log.', 'The ERP has moved') })

export type { EventCode }
export type WebhookAnswer = Shown<typeof webhookOutput>
