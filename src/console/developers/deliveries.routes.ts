import type { FastifyInstance } from 'fastify'
import { getEvent } from '../../events/events.service.ts'
import type { Context } from '../../platform/context.ts'
import {
  deliveryParams,
  eventParams,
  listDeliveriesQuery,
  listEventsQuery,
  deliveryOutput,
} from '../../webhooks/delivery-log/delivery.schemas.ts'
import {
  getDelivery,
  listDeliveries,
  redeliver,
  listEventsOf,
} from '../../webhooks/delivery-log/deliveries.service.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { one, pageOf } from '../../http/reply.ts'
import { EVERYONE } from '../console.rules.ts'
import { DEVELOPERS } from './developers.rules.ts'
import { eventOutput } from './webhook.output.ts'

export function deliveryConsoleRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/deliveries',
    roles: EVERYONE,
    output: pageOf(deliveryOutput),
    query: listDeliveriesQuery,
    answer: ({ institute, query }) => listDeliveries(ctx, institute, query),
  })
  addConsoleRead(app, ctx, {
    url: '/deliveries/:delivery_id',
    roles: EVERYONE,
    output: one(deliveryOutput),
    params: deliveryParams,
    answer: ({ institute, params }) => getDelivery(ctx, institute, params.deliveryId),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/deliveries/:delivery_id/redeliver',
    roles: DEVELOPERS,
    output: one(deliveryOutput),
    params: deliveryParams,
    perform: (command, { institute, params }) => redeliver(ctx, command, institute, params.deliveryId),
    audit: (_call, { id, webhookId, eventId, attempts }) => ({
      what: 'delivery.sent_again',
      about: id,
      after: { webhook: webhookId, event: eventId, attempts_before: attempts.length },
    }),
  })
  addEvents(app, ctx)
}

function addEvents(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/events',
    roles: EVERYONE,
    output: pageOf(eventOutput),
    query: listEventsQuery,
    answer: ({ institute, query }) => listEventsOf(ctx, institute, query),
  })
  addConsoleRead(app, ctx, {
    url: '/events/:event_id',
    roles: EVERYONE,
    output: one(eventOutput),
    params: eventParams,
    answer: ({ institute, params }) => getEvent(ctx, institute.id, params.eventId),
  })
}
