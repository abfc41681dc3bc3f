import type { FastifyInstance } from 'fastify'
import { getEvent } from '../../events/events.service.ts'
import type { Context } from '../../platform/context.ts'
import { getDelivery, redeliver } from '../../webhooks/delivery-log/deliveries.service.ts'
import { deliveryList } from '../../webhooks/delivery-log/delivery.list.ts'
import { deliveryOutput, deliveryParams, eventParams } from '../../webhooks/delivery-log/delivery.schemas.ts'
import { eventList } from '../../webhooks/delivery-log/event.list.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { one } from '../../http/reply.ts'
import { EVERYONE } from '../console.rules.ts'
import { DEVELOPERS } from './developers.rules.ts'
import { addList } from '../lists/list.routes.ts'

export function deliveryConsoleRoutes(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, { url: '/deliveries', list: deliveryList })
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
  addList(app, ctx, { url: '/events', list: eventList })
  addConsoleRead(app, ctx, {
    url: '/events/:event_id',
    roles: EVERYONE,
    output: one(eventList.output),
    params: eventParams,
    answer: ({ institute, params }) => getEvent(ctx, institute.id, params.eventId),
  })
}
