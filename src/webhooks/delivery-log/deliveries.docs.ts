import { Type } from 'typebox'
import type { EndpointDocs } from '../../http/openapi/openapi.ts'
import { DeliveryView, EventView, RecoveredView } from './deliveries.schemas.ts'

/** What the reference says of the operations on events and deliveries. */
const EVENT_ID = 'evt_01k9zq4m0ve8sbn6yt2hw3c5da'

const EXAMPLE_EVENT = {
  event_id: EVENT_ID,
  event: 'pay.payment.debited',
  timestamp: 1794718330,
  version: '1.0',
  sequence: 4711,
  payload: { order_id: 'order_01k9zq4m0ve8sbn6yt2hw3c5da' },
}

const EXAMPLE_DELIVERY = {
  id: 'dlv_01k9zq4m0ve8sbn6yt2hw3c5da',
  event_id: EVENT_ID,
  event_code: 'pay.payment.debited',
  webhook_id: 'wh_01k9zq4m0ve8sbn6yt2hw3c5da',
  status: 'delivered',
  attempts: [
    {
      attempted_at: '2026-11-15T04:32:10.012Z',
      duration_ms: 84,
      http_status: 500,
      problem: 'The endpoint answered with status 500.',
      response: 'database is restarting',
    },
    { attempted_at: '2026-11-15T04:32:15.420Z', duration_ms: 31, http_status: 200, response: 'ok' },
  ],
  created_at: '2026-11-15T04:32:10.000Z',
}

const one = { status: 'success', data: EXAMPLE_DELIVERY }

export const listEventsDocs: EndpointDocs = {
  operationId: 'listEvents',
  tag: 'Webhooks',
  summary: 'List events',
  description:
    'Everything that was recorded, whether or not anyone was subscribed. Newest first to look; with `order=oldest` a ' +
    'program follows along by sending the last `event_id` it saw as `cursor`.',
  answers: {
    200: {
      description: 'A page.',
      data: Type.Array(EventView),
      isList: true,
      example: { status: 'success', data: [EXAMPLE_EVENT], has_more: false },
    },
  },
}

export const listDocs: EndpointDocs = {
  operationId: 'listDeliveries',
  tag: 'Webhooks',
  summary: 'List deliveries',
  description: 'Newest first, each with its attempts. Kept for 90 days.',
  answers: {
    200: {
      description: 'A page.',
      data: Type.Array(DeliveryView),
      isList: true,
      example: { status: 'success', data: [EXAMPLE_DELIVERY], has_more: false },
    },
  },
}

export const getDocs: EndpointDocs = {
  operationId: 'getDelivery',
  tag: 'Webhooks',
  summary: 'Get a delivery',
  description: 'One delivery, attempt by attempt.',
  errors: [404],
  answers: { 200: { description: 'The delivery.', data: DeliveryView, example: one } },
}

export const redeliverDocs: EndpointDocs = {
  operationId: 'redeliver',
  tag: 'Webhooks',
  summary: 'Redeliver',
  description:
    'Sends it once more, whatever became of it: the same delivery and `event_id`, one attempt more. If that fails, the ' +
    'retries begin from their start. It goes at once and before all that waits, also to an endpoint that is left in peace.',
  errors: [404],
  answers: { 200: { description: 'Due now.', data: DeliveryView, example: one } },
}

export const testDocs: EndpointDocs = {
  operationId: 'testWebhook',
  tag: 'Webhooks',
  summary: 'Send a test event',
  description:
    'Sends `webhook.test` to this subscription, signed as any other delivery: at once and before all that waits, also ' +
    'when the endpoint asked for a pause or keeps failing. Read the delivery to see what came of it.',
  errors: [404],
  answers: {
    201: {
      description: 'Due now.',
      data: DeliveryView,
      example: {
        status: 'success',
        data: { ...EXAMPLE_DELIVERY, event_code: 'webhook.test', status: 'pending', attempts: [] },
      },
    },
  },
}

export const recoverDocs: EndpointDocs = {
  operationId: 'recoverWebhook',
  tag: 'Webhooks',
  summary: 'Recover failed deliveries',
  description:
    'Sends again everything that failed since a moment: deliveries given up, what an earlier subscription to the same ' +
    'event code missed before and when it was disabled, and what happened from then until this one was added. At most ' +
    '89 days back.',
  errors: [404],
  exampleBody: { since: '2026-11-14T00:00:00+05:30' },
  answers: {
    200: {
      description: 'Due now.',
      data: RecoveredView,
      example: { status: 'success', data: { deliveries: 12 } },
    },
  },
}
