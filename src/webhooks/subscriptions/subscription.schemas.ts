import { EVENT_CODES } from '../../events/define-event.ts'
import { field, ifSent, input, nullable, optional, query } from '../../http/wire/input.ts'
import { outputOf } from '../../http/wire/output.ts'
import { isPaused } from './subscriptions.rules.ts'
import type { Subscription } from './subscriptions.service.ts'

export const WEBHOOK_ID = 'wh_01k9zq4m0ve8sbn6yt2hw3c5da'
const RECEIVER = 'https://erp.example.in/hooks/fees'

/** What a subscription can change: absent leaves it, null or "" clears it. */
const changes = {
  secret_key: nullable(
    field.text(
      'Signs the deliveries; plain text of at least 16 characters, or whsec_ and base64 of at least 16 bytes. Never returned. Absent: as it is; null or "": no signature.',
      'a-long-random-text',
      256,
    ),
  ),
  header_key: nullable(
    field.text('Name of a header sent with every delivery. Absent: as it is.', 'X-Api-Key', 128),
  ),
  header_value: nullable(field.text('Its value. Never returned. Absent: as it is.', 'key-of-the-fee-module')),
}

export const changeWebhookInput = input(changes)

export const addWebhookInput = input({
  collector_code: ifSent(
    field.code('Branch code; required if the institute has more than one branch.', 'MAIN'),
  ),
  event_code: field.oneOf(EVENT_CODES, 'The event to subscribe to.', 'pay.payment.debited'),
  url: field.url('Destination for POST requests.', RECEIVER),
  failure_notification_email: field
    .emailList(
      'Addresses that get a mail when deliveries fail, separated by commas.',
      'it@school.example.in,accounts@school.example.in',
    )
    .as('failureEmails'),
  ...changes,
})

export const webhookParams = input({ webhook_id: field.resourceId('Subscription id.', WEBHOOK_ID) })

export const listWebhooksQuery = query({
  collector_code: optional(
    field.code('Only of this branch; not compared when the institute has one branch.', 'MAIN'),
  ),
  include: optional(
    field.oneOf(['disabled'], 'Show disabled subscriptions too, at most the 200 disabled last.'),
  ),
})

/** A subscription as the API answers it; secrets and header values are never shown. */
const out = outputOf<Subscription>()
const common = {
  id: out.text('Subscription id.', WEBHOOK_ID),
  event_code: out.text('Event the subscription is for.', 'pay.payment.debited'),
  failure_notification_email: out.text(
    'As sent at creation.',
    'it@school.example.in,accounts@school.example.in',
    one => one.failureEmails,
  ),
  url: out.text('As sent at creation.', RECEIVER),
  disabled_at: out.optional.moment('Present only on a disabled subscription.', '2026-11-16T06:00:00.000Z'),
}

export const webhookOutput = out.object('AddedWebhook', common)

export const webhookFields = {
  ...common,
  status: out.oneOf(['subscribed', 'disabled'], 'Whether deliveries are made.', one =>
    one.disabledAt === null ? 'subscribed' : 'disabled',
  ),
  is_signed: out.flag('Whether a secret_key is set.', true, one => one.secretSealed !== null),
  has_header: out.flag(
    'Whether a custom header is sent.',
    false,
    one => one.headerKey !== null && one.headerValueSealed !== null,
  ),
  failures_in_row: out.integer('Failed attempts since the last success.', 0),
  paused_until: out.optional.moment(
    'Nothing is sent before; present while the endpoint rests after failures.',
    '2026-11-15T04:33:10.000Z',
    one => (isPaused(one, new Date()) ? one.pausedUntil : null),
  ),
  disabled_because: out.optional.oneOf(
    ['request', 'gone', 'failures'],
    'Disable Webhook, an answer of 410, or a day of failures.',
  ),
  created_at: out.moment('When it was added.', '2026-11-15T04:32:10.000Z'),
}

export const webhookDetailOutput = out.object('Webhook', webhookFields)
