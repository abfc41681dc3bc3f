import type { FastifyInstance } from 'fastify'
import { addRead } from '../http/endpoint.ts'
import { page } from '../http/envelope.ts'
import { branchFor } from '../institutes/institutes.rules.ts'
import { listEvents, type RecordedEvent } from '../journal/events.service.ts'
import type { Ground } from '../platform/ground.ts'
import { listEventsDocs } from './deliveries.docs.ts'
import { ListEventsQuery } from './deliveries.schemas.ts'

export function eventRoutes(app: FastifyInstance, ground: Ground): void {
  addRead(app, {
    url: '/api/v1/integrations/erp/events',
    docs: listEventsDocs,
    query: ListEventsQuery,
    async answer({ caller, query }) {
      const filter = {
        eventCode: query.event_code,
        resourceId: query.resource_id,
        collectorCode:
          query.collector_code === undefined ? undefined : branchFor(caller.institute, query.collector_code),
        recordedFrom: query.created_from,
        recordedBefore: query.created_to,
      }
      const range = {
        cursor: query.cursor,
        order: query.order ?? 'newest',
        limit: query.limit ?? 50,
      } as const
      const { rows, nextCursor } = await listEvents(ground, caller.institute.id, filter, range)
      return page(rows.map(view), nextCursor)
    },
  })
}

/** As it is delivered. */
function view(event: RecordedEvent): Record<string, unknown> {
  return {
    event_id: event.id,
    event: event.code,
    timestamp: Math.floor(event.occurredAt.getTime() / 1_000),
    version: '1.0',
    sequence: event.sequence,
    payload: event.payload,
  }
}
