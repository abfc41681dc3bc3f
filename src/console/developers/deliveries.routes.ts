import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { getEvent } from '../../events/events.service.ts'
import { ok, page } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import {
  deliveryParams,
  eventParams,
  listDeliveriesQuery,
  listEventsQuery,
} from '../../webhooks/delivery-log/delivery.input.ts'
import { deliveryOutput } from '../../webhooks/delivery-log/delivery.output.ts'
import {
  getDelivery,
  listDeliveries,
  redeliver,
  type Delivery,
} from '../../webhooks/delivery-log/deliveries.service.ts'
import { listEventsOf } from '../../webhooks/delivery-log/events.service.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { EVERYONE } from '../console.rules.ts'
import { DEVELOPERS } from './developers.rules.ts'
import { eventOutput } from './webhook.output.ts'

export function deliveryConsoleRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/deliveries',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListDeliveries',
      summary: 'List deliveries',
      description: 'Of three months, the newest first.',
      data: Type.Array(deliveryOutput.schema),
      isList: true,
    },
    query: listDeliveriesQuery,
    async answer({ institute, query }) {
      const { rows, nextCursor } = await listDeliveries(ctx, institute, query)
      return page(
        rows.map(delivery => deliveryOutput.toJson(delivery)),
        nextCursor,
      )
    },
  })
  addConsoleRead(app, ctx, {
    url: '/deliveries/:delivery_id',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetDelivery',
      summary: 'Read a delivery',
      description: 'With every attempt and what was answered.',
      data: deliveryOutput.schema,
    },
    params: deliveryParams,
    answer: async ({ institute, params }) =>
      ok(deliveryOutput.toJson(await getDelivery(ctx, institute, params.deliveryId))),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/deliveries/:delivery_id/redeliver',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleRedeliver',
      summary: 'Send a delivery again',
      description: 'The same event under the same id, at once.',
      data: deliveryOutput.schema,
    },
    params: deliveryParams,
    perform: (command, { institute, params }) => redeliver(ctx, command, institute, params.deliveryId),
    audit: (_call, { id, webhookId, eventId, attempts }) => ({
      what: 'delivery.sent_again',
      about: id,
      after: { webhook: webhookId, event: eventId, attempts_before: attempts.length },
    }),
    toResponse: (delivery: Delivery) => ok(deliveryOutput.toJson(delivery)),
  })
  addEvents(app, ctx)
}

function addEvents(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/events',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListEvents',
      summary: 'List events',
      description: 'Everything that was recorded, subscribed to or not, the newest first.',
      data: Type.Array(eventOutput.schema),
      isList: true,
    },
    query: listEventsQuery,
    async answer({ institute, query }) {
      const { rows, nextCursor } = await listEventsOf(ctx, institute, query)
      return page(
        rows.map(event => eventOutput.toJson(event)),
        nextCursor,
      )
    },
  })
  addConsoleRead(app, ctx, {
    url: '/events/:event_id',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetEvent',
      summary: 'Read an event',
      description: 'As it is delivered.',
      data: eventOutput.schema,
    },
    params: eventParams,
    answer: async ({ institute, params }) =>
      ok(eventOutput.toJson(await getEvent(ctx, institute.id, params.eventId))),
  })
}
