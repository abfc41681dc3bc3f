import { outputOf } from '../http/wire/output.ts'
import { WEBHOOK_ID } from './subscriptions/subscription.input.ts'

const out = outputOf<{ webhookId: string; eventCode: string }>()
/** What `webhook.test` carries: nothing in it looks as if money had moved. */
export const testPayload = out.object('WebhookTestPayload', {
  webhook_id: out.text('Id of the subscription.', WEBHOOK_ID),
  message: out.text(
    'A text for a person.',
    'A test of the webhook for order.payment.debited.',
    ({ eventCode }) => `A test of the webhook for ${eventCode}.`,
  ),
})
