import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { created, ok, page } from '../../http/envelope.ts'
import { answer, answerPage } from '../../http/wire/answers.ts'
import type { Context } from '../../platform/context.ts'
import { webhookParams } from '../subscriptions/subscription.input.ts'
import {
  DELIVERY_ID,
  deliveryParams,
  EVENT_ID,
  listDeliveriesQuery,
  listEventsQuery,
  recoverInput,
} from './delivery.input.ts'
import { deliveryOutput, eventOutput, recoveredOutput } from './delivery.output.ts'
import {
  getDelivery,
  listDeliveries,
  recoverFailed,
  redeliver,
  sendTest,
  type Delivery,
} from './deliveries.service.ts'
import { listEventsOf } from './events.service.ts'

const ERP = '/api/v1/integrations/erp'
const WEBHOOK = `${ERP}/webhooks/:webhook_id`
const DELIVERY = `${ERP}/deliveries/:delivery_id`
const tag = 'Webhooks'

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
      answers: { 200: answer('The delivery.', deliveryOutput) },
    },
    params: deliveryParams,
    answer: async ({ caller, params }) =>
      ok(deliveryOutput.toJson(await getDelivery(ctx, caller.institute, params.deliveryId))),
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
      answers: { 200: answer('Due now.', deliveryOutput) },
    },
    params: deliveryParams,
    perform: (command, { caller, params }) => redeliver(ctx, command, caller.institute, params.deliveryId),
    toResponse: (delivery: Delivery) => ok(deliveryOutput.toJson(delivery)),
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
      answers: { 200: answerPage(eventOutput, EVENT_ID) },
    },
    query: listEventsQuery,
    async answer({ caller, query }) {
      const { rows, nextCursor } = await listEventsOf(ctx, caller.institute, query)
      return page(
        rows.map(event => eventOutput.toJson(event)),
        nextCursor,
      )
    },
  })
  addRead(app, {
    url: `${ERP}/deliveries`,
    docs: {
      operationId: 'listDeliveries',
      tag,
      summary: 'List deliveries',
      description: 'Newest first, each with its attempts. Kept for 90 days.',
      answers: { 200: answerPage(deliveryOutput, DELIVERY_ID) },
    },
    query: listDeliveriesQuery,
    async answer({ caller, query }) {
      const { rows, nextCursor } = await listDeliveries(ctx, caller.institute, query)
      return page(
        rows.map(delivery => deliveryOutput.toJson(delivery)),
        nextCursor,
      )
    },
  })
}

function addSending(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${WEBHOOK}/test`,
    scope: 'settings',
    docs: {
      operationId: 'testWebhook',
      tag,
      summary: 'Send a test event',
      description:
        'Sends `webhook.test` to this subscription, signed as any other delivery: at once and before all that waits, also ' +
        'when the endpoint asked for a pause or keeps failing. Read the delivery to see what came of it.',
      errors: [404],
      answers: { 201: answer('Due now.', deliveryOutput) },
    },
    params: webhookParams,
    perform: (command, { caller, params }) => sendTest(ctx, command, caller.institute, params.webhookId),
    toResponse: (delivery: Delivery) => created(deliveryOutput.toJson(delivery)),
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
      answers: { 200: answer('Due now.', recoveredOutput) },
    },
    params: webhookParams,
    body: recoverInput,
    perform: (command, { caller, params, body }) =>
      recoverFailed(ctx, command, caller.institute, { ...params, ...body }),
    toResponse: (deliveries: number) => ok(recoveredOutput.toJson({ deliveries })),
  })
}
