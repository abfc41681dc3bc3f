import { outputOf } from '../../http/wire/output.ts'
import { RECEIVER, WEBHOOK_ID } from './subscription.input.ts'
import { isPaused } from './subscriptions.rules.ts'
import type { Subscription } from './subscriptions.service.ts'

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
