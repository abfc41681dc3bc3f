import { Type } from 'typebox'
import { clearable, field, shown } from '../../http/wire/fields.ts'
import { EVENT_CODES } from '../../events/codes.ts'

/** What subscription routes take and answer. */
export const AddWebhookBody = Type.Object({
  collector_code: Type.Optional(
    field.code({ description: 'Branch code; required if the institute has more than one branch.' }),
  ),
  event_code: field.oneOf(EVENT_CODES, {
    description: 'The event to be told of.',
    examples: ['pay.payment.debited'],
  }),
  url: field.url({
    description: 'Destination for POST requests.',
    examples: ['https://erp.example.in/hooks/fees'],
  }),
  failure_notification_email: field.emailList({
    description: 'Addresses told when deliveries fail, separated by commas.',
    examples: ['it@school.example.in,accounts@school.example.in'],
  }),
  secret_key: Type.Optional(
    clearable(
      field.text(
        { description: 'Signs the deliveries; plain text, or whsec_ and base64. Never returned.' },
        256,
      ),
    ),
  ),
  header_key: Type.Optional(
    clearable(
      field.text({ description: 'Name of a header sent with every delivery.', examples: ['X-Api-Key'] }, 128),
    ),
  ),
  header_value: Type.Optional(clearable(field.text({ description: 'Its value. Never returned.' }))),
})

export const WebhookParams = Type.Object({
  webhook_id: field.resourceId({
    description: 'Subscription id.',
    examples: ['wh_01k9zq4m0ve8sbn6yt2hw3c5da'],
  }),
})

export const ListWebhooksQuery = Type.Object({
  collector_code: Type.Optional(
    field.code({ description: 'Only of this branch; not compared when the institute has one branch.' }),
  ),
  include: Type.Optional(
    field.oneOf(['disabled'], {
      description: 'Show disabled subscriptions too, at most the 200 disabled last.',
    }),
  ),
})

const commonView = {
  id: shown.text({ description: 'Subscription id.' }),
  event_code: shown.text({ description: 'Event the subscription is for.' }),
  failure_notification_email: shown.text({ description: 'As sent at creation.' }),
  url: shown.text({ description: 'As sent at creation.' }),
}

export const WebhookView = Type.Object({
  ...commonView,
  disabled_at: Type.Optional(shown.moment({ description: 'Present only on a disabled subscription.' })),
})

export const WebhookDetailView = Type.Object({
  ...commonView,
  status: shown.oneOf(['subscribed', 'disabled'], { description: 'Whether deliveries are made.' }),
  is_signed: shown.flag({ description: 'Whether a secret_key is set.' }),
  has_header: shown.flag({ description: 'Whether a custom header is sent.' }),
  failures_in_row: Type.Integer({ description: 'Failed attempts since the last success.' }),
  paused_until: Type.Optional(
    shown.moment({ description: 'Nothing is sent before; present while the endpoint rests after failures.' }),
  ),
  disabled_because: Type.Optional(
    shown.oneOf(['request', 'gone', 'failures'], {
      description: 'Disable Webhook, an answer of 410, or a day of failures.',
    }),
  ),
  created_at: shown.moment({ description: 'When it was added.' }),
  disabled_at: Type.Optional(shown.moment({ description: 'Present only on a disabled subscription.' })),
})
