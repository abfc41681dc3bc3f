import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { ok, page } from '../../http/envelope.ts'
import { getEvent, listEvents, type RecordedEvent } from '../../events/events.service.ts'
import { branchFor } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import {
  getDelivery,
  listDeliveries,
  redeliver,
  type Delivery,
} from '../../webhooks/delivery-log/deliveries.service.ts'
import { EVERYONE } from '../console.rules.ts'
import { EventParams, EventsQuery, EventView, type EventAnswer } from './events.schemas.ts'
import * as schemas from './webhooks.schemas.ts'
import { DEVELOPERS } from './developers.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'

export function deliveryConsoleRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/deliveries',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListDeliveries',
      summary: 'List deliveries',
      description: 'Of three months, the newest first.',
      data: Type.Array(schemas.DeliveryView),
      isList: true,
    },
    query: schemas.DeliveriesQuery,
    async answer({ institute, query }) {
      const { status, event_id: eventId, webhook_id: webhookId, cursor, limit = 50 } = query
      const filter = { status, eventId, webhookId }
      const { rows, nextCursor } = await listDeliveries(ctx, institute, filter, { cursor, limit })
      return page(rows.map(deliveryView), nextCursor)
    },
  })
  addConsoleRead(app, ctx, {
    url: '/deliveries/:delivery_id',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetDelivery',
      summary: 'Read a delivery',
      description: 'With every attempt and what was answered.',
      data: schemas.DeliveryView,
    },
    params: schemas.DeliveryParams,
    answer: async ({ institute, params }) =>
      ok(deliveryView(await getDelivery(ctx, institute, params.delivery_id))),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/deliveries/:delivery_id/redeliver',
    roles: DEVELOPERS,
    docs: {
      operationId: 'consoleRedeliver',
      summary: 'Send a delivery again',
      description: 'The same event under the same id, at once.',
      data: schemas.DeliveryView,
    },
    params: schemas.DeliveryParams,
    perform: (act, { institute, params }) => redeliver(ctx, act, institute, params.delivery_id),
    audit: (_call, { id, webhookId, eventId, attempts }) => ({
      what: 'delivery.sent_again',
      about: id,
      after: { webhook: webhookId, event: eventId, attempts_before: attempts.length },
    }),
    toResponse: (delivery: Delivery) => ok(deliveryView(delivery)),
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
      description: 'Everything that happened, told or not, the newest first.',
      data: Type.Array(EventView),
      isList: true,
    },
    query: EventsQuery,
    async answer({ institute, query }) {
      const { event_code: eventCode, resource_id: resourceId, collector_code: branch, cursor } = query
      const filter = {
        eventCode,
        resourceId,
        collectorCode: branch === undefined ? undefined : branchFor(institute, branch),
        recordedFrom: query.from,
        recordedBefore: query.to,
      }
      const range = { cursor, order: 'newest', limit: query.limit ?? 50 } as const
      const { rows, nextCursor } = await listEvents(ctx, institute.id, filter, range)
      return page(rows.map(eventView), nextCursor)
    },
  })
  addConsoleRead(app, ctx, {
    url: '/events/:event_id',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetEvent',
      summary: 'Read an event',
      description: 'As it is delivered.',
      data: EventView,
    },
    params: EventParams,
    answer: async ({ institute, params }) =>
      ok(eventView(await getEvent(ctx, institute.id, params.event_id))),
  })
}

export function deliveryView(delivery: Delivery): schemas.DeliveryAnswer {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event_code: delivery.eventCode,
    webhook_id: delivery.webhookId,
    status: delivery.state,
    attempts: delivery.attempts,
    ...(delivery.nextAttemptAt === null ? {} : { next_attempt_at: delivery.nextAttemptAt.toISOString() }),
    created_at: delivery.createdAt.toISOString(),
  }
}

function eventView(event: RecordedEvent): EventAnswer {
  return {
    event_id: event.id,
    event_code: event.code,
    resource_id: event.resourceId,
    occurred_at: event.occurredAt.toISOString(),
    recorded_at: event.recordedAt.toISOString(),
    sequence: event.sequence,
    payload: event.payload,
  }
}
