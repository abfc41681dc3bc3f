import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { created, from, one, pageOf } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { webhookParams } from '../subscriptions/subscription.schemas.ts'
import {
  deliveryParams,
  listDeliveriesQuery,
  listEventsQuery,
  recoverInput,
  deliveryOutput,
  eventOutput,
  recoveredOutput,
} from './delivery.schemas.ts'
import {
  getDelivery,
  listDeliveries,
  recoverFailed,
  redeliver,
  sendTest,
  listEventsOf,
} from './deliveries.service.ts'

const ERP = '/api/v1/integrations/erp'
const WEBHOOK = `${ERP}/webhooks/:webhook_id`
const DELIVERY = `${ERP}/deliveries/:delivery_id`
const tag = 'Deliveries'

export function deliveryRoutes(app: FastifyInstance, ctx: Context): void {
  addLists(app, ctx)
  addRead(app, {
    url: DELIVERY,
    docs: {
      operationId: 'getDelivery',
      tag,
      summary: 'Get a delivery',
      description: 'One delivery, attempt by attempt.',
      errors: [404],
    },
    output: one(deliveryOutput),
    params: deliveryParams,
    answer: ({ caller, params }) => getDelivery(ctx, caller.institute, params.deliveryId),
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: `${DELIVERY}/redeliver`,
    scope: 'settings',
    docs: {
      operationId: 'redeliver',
      tag,
      summary: 'Redeliver',
      description:
        'Sends it once more, whatever became of it: the same delivery and `event_id`, one attempt more. If that fails, the ' +
        'retries begin from their start. It goes at once and before all that waits, also to an endpoint that is left in peace.',
      errors: [404],
    },
    output: one(deliveryOutput),
    params: deliveryParams,
    perform: (command, { caller, params }) => redeliver(ctx, command, caller.institute, params.deliveryId),
  })
  addSending(app, ctx)
}

function addLists(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: `${ERP}/events`,
    docs: {
      operationId: 'listEvents',
      tag,
      summary: 'List events',
      description:
        'Everything that was recorded, whether or not anyone was subscribed. Newest first to look; with `order=oldest` a ' +
        'program follows along by sending the last `event_id` it saw as `cursor`.',
    },
    output: pageOf(eventOutput),
    query: listEventsQuery,
    answer: ({ caller, query }) => listEventsOf(ctx, caller.institute, query),
  })
  addRead(app, {
    url: `${ERP}/deliveries`,
    docs: {
      operationId: 'listDeliveries',
      tag,
      summary: 'List deliveries',
      description: 'Newest first, each with its attempts. Kept for 90 days at least.',
    },
    output: pageOf(deliveryOutput),
    query: listDeliveriesQuery,
    answer: ({ caller, query }) => listDeliveries(ctx, caller.institute, query),
  })
}

function addSending(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${WEBHOOK}/test`,
    scope: 'settings',
    docs: {
      operationId: 'testWebhook',
      tag: 'Webhooks',
      summary: 'Send a test event',
      description:
        'Sends `webhook.test` to this subscription, signed as any other delivery: at once and before all that waits, also ' +
        'when the endpoint asked for a pause or keeps failing. Read the delivery to see what came of it.',
      errors: [404],
    },
    output: created(deliveryOutput),
    params: webhookParams,
    perform: (command, { caller, params }) => sendTest(ctx, command, caller.institute, params.webhookId),
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: `${WEBHOOK}/recover`,
    scope: 'settings',
    docs: {
      operationId: 'recoverWebhook',
      tag,
      summary: 'Recover failed deliveries',
      description:
        'Sends again everything that failed since a moment: deliveries given up, what an earlier subscription to the same ' +
        'event code missed before and when it was disabled, and what happened from then until this one was added. At most ' +
        '89 days back.',
      errors: [404],
    },
    output: from(one(recoveredOutput), (deliveries: number) => ({ deliveries })),
    params: webhookParams,
    body: recoverInput,
    perform: (command, { caller, params, body }) =>
      recoverFailed(ctx, command, caller.institute, { ...params, ...body }),
  })
}
