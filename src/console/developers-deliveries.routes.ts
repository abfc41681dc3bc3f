import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { ok, page } from '../http/envelope.ts'
import { getEvent, listEvents, type RecordedEvent } from '../journal/events.service.ts'
import { branchFor } from '../institutes/institutes.rules.ts'
import type { Ground } from '../platform/ground.ts'
import { getDelivery, listDeliveries, redeliver, type Delivery } from '../webhooks/deliveries.service.ts'
import { EVERYONE } from './console.rules.ts'
import { EventParams, EventsQuery, EventView, type EventAnswer } from './developers-events.schemas.ts'
import * as schemas from './developers-webhooks.schemas.ts'
import { DEVELOPERS } from './developers.rules.ts'
import { addConsoleRead, addConsoleWrite } from './guard.routes.ts'

export function deliveryConsoleRoutes(app: FastifyInstance, ground: Ground): void {
  addConsoleRead(app, ground, {
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
      const { rows, nextCursor } = await listDeliveries(ground, institute, filter, { cursor, limit })
      return page(rows.map(deliveryView), nextCursor)
    },
  })
  addConsoleRead(app, ground, {
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
      ok(deliveryView(await getDelivery(ground, institute, params.delivery_id))),
  })
  addConsoleWrite(app, ground, {
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
    perform: (act, { institute, params }) => redeliver(ground, act, institute, params.delivery_id),
    audit: (_call, { id, webhookId, eventId, attempts }) => ({
      what: 'delivery.sent_again',
      about: id,
      after: { webhook: webhookId, event: eventId, attempts_before: attempts.length },
    }),
    toResponse: (delivery: Delivery) => ok(deliveryView(delivery)),
  })
  addEvents(app, ground)
}

function addEvents(app: FastifyInstance, ground: Ground): void {
  addConsoleRead(app, ground, {
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
      const { rows, nextCursor } = await listEvents(ground, institute.id, filter, range)
      return page(rows.map(eventView), nextCursor)
    },
  })
  addConsoleRead(app, ground, {
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
      ok(eventView(await getEvent(ground, institute.id, params.event_id))),
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
