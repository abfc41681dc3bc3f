import type { FastifyInstance } from 'fastify'
import { listEvents } from '../../events/events.service.ts'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { created, from, one, pageOf } from '../../http/reply.ts'
import { field, optional, query } from '../../http/wire/input.ts'
import type { Context } from '../../platform/context.ts'
import { webhookParams } from '../subscriptions/subscription.schemas.ts'
import { deliveryList } from './delivery.list.ts'
import { eventList, filterOf } from './event.list.ts'
import {
  deliveryParams,
  recoverInput,
  deliveryOutput,
  EVENT_ID,
  eventOutput,
  recoveredOutput,
} from './delivery.schemas.ts'
import { getDelivery, recoverFailed, redeliver, sendTest } from './deliveries.service.ts'

const ERP = '/api/v1/integrations/erp'
const WEBHOOK = `${ERP}/webhooks/:webhook_id`
const DELIVERY = `${ERP}/deliveries/:delivery_id`
const tag = 'Deliveries'

const listEventsQuery = query({
  ...eventList.filterQuery.fields,
  limit: field.pageSize(),
  cursor: optional(
    field.resourceId(
      '`next_cursor` of the page before; with `order=oldest` the `event_id` to go on after, which need not be of a last page.',
      EVENT_ID,
    ),
  ),
  order: optional(
    field.oneOf(
      ['newest', 'oldest'],
      'newest (the default) to look, oldest to follow: going on from the last one seen misses none.',
    ),
    'newest',
  ),
})

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
    answer: ({ caller, query: { cursor, limit, order, ...filter } }) =>
      listEvents(ctx, caller.institute.id, filterOf(caller.institute, filter), { cursor, limit, order }),
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
    query: deliveryList.query,
    answer: ({ caller, query: { cursor, limit, ...filter } }) =>
      deliveryList.page(ctx, caller.institute, filter, { cursor, limit }),
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
