import { Type, type Static } from 'typebox'
import { clearable, field, shown } from '../../http/wire/fields.ts'
import { EVENT_CODES } from '../../events/codes.ts'
import { DELIVERY_STATES } from '../../webhooks/delivery-log/deliveries.rules.ts'
import { WEBHOOK_HEALTH } from './developers.rules.ts'

/** Subscriptions, and what became of each delivery. */
const count = (description: string) => Type.Integer({ description, minimum: 0 })
const reason = field.text({ description: 'Why; stands in the audit log.', examples: ['The ERP has moved'] })

export const WebhooksQuery = Type.Object({
  include: Type.Optional(
    field.oneOf(['disabled'], { description: 'Disabled ones too, at most the 200 disabled last.' }),
  ),
})

export const WebhookView = Type.Object({
  id: shown.text({ description: 'Id of the subscription.' }),
  event_code: shown.text({ description: 'The event it is told of.' }),
  url: shown.text({ description: 'Where it goes.' }),
  collector_code: shown.text({ description: 'The branch.' }),
  failure_notification_email: shown.text({ description: 'Who is told when deliveries fail.' }),
  health: shown.oneOf(WEBHOOK_HEALTH, { description: 'How it fares.' }),
  failures_in_row: count('Failed attempts since the last success.'),
  paused_until: Type.Optional(shown.moment({ description: 'Nothing is sent before, UTC.' })),
  waiting: count('Deliveries that are due or will be tried again.'),
  given_up: count('Deliveries that nobody tries any more.'),
  is_signed: shown.flag({ description: 'Whether deliveries are signed.' }),
  header_key: Type.Optional(shown.text({ description: 'The name of the header that goes with them.' })),
  created_at: shown.moment({ description: 'When it was added, UTC.' }),
  disabled_at: Type.Optional(shown.moment({ description: 'When it was disabled, UTC.' })),
  disabled_because: Type.Optional(
    shown.oneOf(['request', 'gone', 'failures'], {
      description: 'Somebody asked, an answer of 410, or a day of failures.',
    }),
  ),
})

const changes = {
  secret_key: Type.Optional(
    clearable(
      field.text({ description: 'Signs the deliveries. Absent: as it is; null: no signature.' }, 256),
    ),
  ),
  header_key: Type.Optional(
    clearable(
      field.text(
        { description: 'Name of a header to send. Absent: as it is.', examples: ['X-Api-Key'] },
        128,
      ),
    ),
  ),
  header_value: Type.Optional(clearable(field.text({ description: 'Its value. Absent: as it is.' }))),
}

export const AddWebhookBody = Type.Object({
  collector_code: Type.Optional(
    field.code({ description: 'Branch code; required if there are several.', examples: ['MAIN'] }),
  ),
  event_code: field.oneOf(EVENT_CODES, {
    description: 'The event to be told of.',
    examples: ['pay.payment.debited'],
  }),
  url: field.url({
    description: 'Where deliveries go.',
    examples: ['https://erp.example.in/hooks/fees'],
  }),
  failure_notification_email: field.emailList({
    description: 'Who is told when deliveries fail, separated by commas.',
    examples: ['it@school.example.in'],
  }),
  ...changes,
})

export const ChangeWebhookBody = Type.Object(changes)
export const DisableBody = Type.Object({ reason })

export const RecoverBody = Type.Object({
  since: field.moment({
    description: 'Deliveries made at this moment or later that failed are sent again.',
    examples: ['2026-01-14T00:00:00+05:30'],
  }),
})

export const RecoveredView = Type.Object({ deliveries: count('How many are due again.') })

export const WebhookParams = Type.Object({
  webhook_id: field.resourceId({ description: 'Id of the subscription.' }),
})

export const DeliveriesQuery = Type.Object({
  status: Type.Optional(field.oneOf(DELIVERY_STATES, { description: 'Only in this state.' })),
  event_id: Type.Optional(field.resourceId({ description: 'Only of this event.' })),
  webhook_id: Type.Optional(field.resourceId({ description: 'Only of this subscription.' })),
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
})

export const DeliveryParams = Type.Object({
  delivery_id: field.resourceId({ description: 'Id of the delivery.' }),
})

export const DeliveryView = Type.Object({
  id: shown.text({ description: 'Id of the delivery.' }),
  event_id: shown.text({ description: 'The event it delivers.' }),
  event_code: shown.text({ description: 'Its code.' }),
  webhook_id: shown.text({ description: 'The subscription it goes to.' }),
  status: shown.oneOf(DELIVERY_STATES, { description: 'Where it stands.' }),
  attempts: Type.Array(
    Type.Object({
      attempted_at: shown.moment({ description: 'When it began, UTC.' }),
      duration_ms: Type.Optional(Type.Integer({ description: 'Absent if it was interrupted.' })),
      http_status: Type.Optional(Type.Integer({ description: 'Absent if there was no answer.' })),
      problem: Type.Optional(shown.text({ description: 'Why it does not count as received.' })),
      response: Type.Optional(shown.text({ description: 'The first of the answer, secrets masked.' })),
    }),
    { description: 'The oldest first.' },
  ),
  next_attempt_at: Type.Optional(shown.moment({ description: 'When it is due next, UTC.' })),
  created_at: shown.moment({ description: 'When it was made, UTC.' }),
})

/** Every code that can be subscribed to. */
export type EventCode = Static<typeof AddWebhookBody>['event_code']
export type WebhookAnswer = Static<typeof WebhookView>
export type DeliveryAnswer = Static<typeof DeliveryView>
