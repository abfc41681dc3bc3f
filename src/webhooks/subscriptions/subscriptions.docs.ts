import { Type } from 'typebox'
import type { EndpointDocs } from '../../http/openapi/openapi.ts'
import { WebhookDetailView, WebhookView } from './subscriptions.schemas.ts'

/** What the reference says of the subscription operations. */
const EXAMPLE = {
  id: 'wh_01k9zq4m0ve8sbn6yt2hw3c5da',
  event_code: 'pay.payment.debited',
  failure_notification_email: 'it@school.example.in',
  url: 'https://erp.example.in/hooks/fees',
}

export const addDocs: EndpointDocs = {
  operationId: 'addWebhook',
  tag: 'Webhooks',
  summary: 'Add or update a webhook',
  description:
    'One URL per event code (and branch, where there are several). On a subscribed code only secret_key, header_key ' +
    'and header_value change: absent leaves them, null or "" clears them.',
  answers: {
    201: {
      description: 'Subscribed.',
      data: WebhookView,
      remark: 'The url and the mail list of a subscription stay as they were at its creation.',
      example: { status: 'success', data: EXAMPLE },
    },
  },
  exampleBody: {
    event_code: EXAMPLE.event_code,
    url: EXAMPLE.url,
    failure_notification_email: EXAMPLE.failure_notification_email,
    secret_key: 'a-long-random-text',
  },
}

export const listDocs: EndpointDocs = {
  operationId: 'listWebhooks',
  tag: 'Webhooks',
  summary: 'List webhooks',
  description:
    'All active subscriptions of the institute; on request also disabled ones, at most the 200 disabled last.',
  answers: {
    200: {
      description: 'The subscriptions.',
      data: Type.Array(WebhookView),
      example: { status: 'success', data: [EXAMPLE] },
    },
  },
}

export const getDocs: EndpointDocs = {
  operationId: 'getWebhook',
  tag: 'Webhooks',
  summary: 'Get a webhook',
  description: 'One subscription, disabled or not. Secrets and header values are never shown.',
  errors: [404],
  answers: {
    200: {
      description: 'The subscription.',
      data: WebhookDetailView,
      example: {
        status: 'success',
        data: {
          ...EXAMPLE,
          status: 'subscribed',
          is_signed: true,
          has_header: false,
          failures_in_row: 0,
          created_at: '2026-11-15T04:32:10.000Z',
        },
      },
    },
  },
}

export const disableDocs: EndpointDocs = {
  operationId: 'disableWebhook',
  tag: 'Webhooks',
  summary: 'Disable a webhook',
  description:
    'Nothing more is delivered. Adding the event code again makes a new subscription with a new id.',
  answers: { 200: { description: 'Disabled.', example: { status: 'success' } } },
}
