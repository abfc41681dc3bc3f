import { EVENT_CODES } from '../../events/codes.ts'
import { field, ifSent, input, nullable, optional, query } from '../../http/wire/input.ts'

export const WEBHOOK_ID = 'wh_01k9zq4m0ve8sbn6yt2hw3c5da'
export const RECEIVER = 'https://erp.example.in/hooks/fees'

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
